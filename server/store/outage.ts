/**
 * Store outages: logged once at the start and once at the end. During an outage one caller per second probes the
 * store; all other callers are refused at once.
 */
import type { Logger } from 'pino';
import { StoreUnavailable } from './session.js';

const RETRY_MS = 1000;
/** Pause between log lines about refused statements. */
const REFUSAL_LOG_MS = 60_000;

export class Outage {
  private failure: StoreUnavailable | undefined;
  private retryAt = 0;
  private isProbing = false;
  private nextRefusalLogAt = 0;

  /** undefined for commands, which end with the error */
  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | undefined) {}

  /** @throws StoreUnavailable during an outage */
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
