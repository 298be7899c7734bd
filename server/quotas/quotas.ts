/**
 * Requests counted against quotas (specification, "Limits"): in this process, or in Redis or Valkey for all servers that
 * share one. When that is lost each server goes on counting for itself, and says so in its log.
 */
import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Config } from '../../pipeline/config.js';
import { type Count, SharedCounter } from '../shared-counter.js';

/** Requests of a window and client that each policy allows; `tax` is the operator's to set (decisions, "Transport"). */
export const QUOTAS = { tax: 60, contract: 120 };

export type PolicyName = keyof typeof QUOTAS;

export const WINDOW_SECONDS = 60;

/** Where a client stands after a request was charged to it. */
export interface Usage {
  /** Requests that a window allows. */
  readonly quota: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly seconds: number;
  readonly refused: boolean;
}

export class Quotas {
  private readonly quotas: Readonly<Record<PolicyName, number>>;
  private readonly local = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS });
  private readonly shared: SharedCounter | undefined;
  private isShared = true;

  private constructor(
    { rateLimit, redisUrl }: Config,
    private readonly log: Logger,
  ) {
    this.quotas = { ...QUOTAS, tax: rateLimit };
    this.shared = redisUrl === undefined ? undefined : new SharedCounter(redisUrl, WINDOW_SECONDS * 1000);
  }

  /** @returns undefined where the limit is turned off */
  static async open(config: Config, log: Logger): Promise<Quotas | undefined> {
    if (config.rateLimit === 0) return undefined;
    const quotas = new Quotas(config, log);
    await quotas.shared?.open();
    return quotas;
  }

  close(): void {
    this.shared?.close();
  }

  /** Charges one request to a client. */
  async charge(policy: PolicyName, client: string): Promise<Usage> {
    const bucket = `hubledger:${policy}:${client}`;
    const quota = this.quotas[policy];
    const { charged, left } = this.shared ? await this.insured(this.shared, bucket, quota) : await this.here(bucket);
    return {
      quota,
      remaining: Math.max(0, quota - charged),
      seconds: Math.max(1, Math.ceil(left / 1000)),
      refused: charged > quota,
    };
  }

  /** Counts in this process. */
  private async here(bucket: string): Promise<Count> {
    const { consumedPoints, msBeforeNext } = await this.local.consume(bucket);
    return { charged: consumedPoints, left: msBeforeNext };
  }

  /** Counts in Redis, or here while that is lost. */
  private async insured(shared: SharedCounter, bucket: string, quota: number): Promise<Count> {
    try {
      const count = await shared.charge(bucket, quota);
      if (!this.isShared) this.log.info('requests are counted in Redis again');
      this.isShared = true;
      return count;
    } catch (err) {
      if (this.isShared) this.log.warn({ err }, 'requests are counted in this process only: Redis is lost');
      this.isShared = false;
      return this.here(bucket);
    }
  }
}
