/**
 * An outage of the store: it is told once when it begins and once when it is over. Meanwhile one caller at a time finds out whether the
 * store is back, and the others are refused at once instead of waiting for a database that does not answer.
 */
import type { Logger } from 'pino';
import { StoreUnavailable } from './session.js';

/** Time between two attempts during an outage. */
const RETRY_MS = 1000;
/** Time between two lines of the log about what cannot be done. */
const COMPLAIN_MS = 60_000;

export class Outage {
  private failure: StoreUnavailable | undefined;
  private retryAt = 0;
  private isAttempted = false;
  private complainAt = 0;

  /** @param log undefined for a command, which ends with the error */
  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | undefined) {}

  /** Does the work, unless the store is known to be out of reach. @throws StoreUnavailable */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const { failure } = this;
    if (failure && (this.isAttempted || performance.now() < this.retryAt)) throw new StoreUnavailable(failure.message);
    this.isAttempted = failure !== undefined;
    try {
      const result = await work();
      this.end();
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable && error.isLost) this.begin(error);
      else this.end(); // the database has answered
      if (error instanceof StoreUnavailable && !error.isLost) this.complain(error);
      throw error;
    }
  }

  /** Tells of what cannot be done now, and not again for a while. */
  private complain({ message }: StoreUnavailable): void {
    if (performance.now() < this.complainAt) return;
    this.log?.error({ reason: message }, 'the store refuses to do something');
    this.complainAt = performance.now() + COMPLAIN_MS;
  }

  private begin(error: StoreUnavailable): void {
    if (!this.failure) this.log?.error({ reason: error.message }, 'no store: nobody can sign in or use a key');
    this.failure = error;
    this.retryAt = performance.now() + RETRY_MS;
    this.isAttempted = false;
  }

  private end(): void {
    if (this.failure) this.log?.info('the store is there again');
    this.failure = undefined;
    this.isAttempted = false;
  }
}
