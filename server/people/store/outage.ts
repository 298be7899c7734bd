import type { Logger } from 'pino';
import { StoreUnavailable } from './session.js';

const RETRY_MS = 1000;
/** Minimum time between two log lines about rejected statements. */
const REFUSAL_LOG_MS = 60_000;

/**
 * Logs the start and the end of an outage. During an outage, one query per second tests the store, and all other
 * queries fail immediately.
 */
export class Outage {
  private failure: StoreUnavailable | undefined;
  private retryAt = 0;
  private isProbing = false;
  private nextRefusalLogAt = 0;

  /** @param log undefined in commands, which exit with the error instead of logging it */
  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | undefined) {}

  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const { failure } = this;
    if (failure && (this.isProbing || performance.now() < this.retryAt)) throw new StoreUnavailable(failure.message);
    this.isProbing = failure !== undefined;
    try {
      const result = await work();
      this.end();
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable && error.isLost) this.begin(error);
      else this.end();
      if (error instanceof StoreUnavailable && !error.isLost) this.logRefusal(error);
      throw error;
    }
  }

  private logRefusal({ message }: StoreUnavailable): void {
    if (performance.now() < this.nextRefusalLogAt) return;
    this.log?.error({ reason: message }, 'the store refused a statement');
    this.nextRefusalLogAt = performance.now() + REFUSAL_LOG_MS;
  }

  private begin(error: StoreUnavailable): void {
    if (!this.failure)
      this.log?.error({ reason: error.message }, 'the store is unavailable: sign-in and keys do not work');
    this.failure = error;
    this.retryAt = performance.now() + RETRY_MS;
    this.isProbing = false;
  }

  private end(): void {
    if (this.failure) this.log?.info('the store is available again');
    this.failure = undefined;
    this.isProbing = false;
  }
}
