/**
 * Quotas of requests (specification, "Limits"). They are counted in this process, or in Redis or Valkey for all servers that share
 * one; while that is lost each server goes on counting for itself, and says so in its log.
 */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../pipeline/config.js';

/** Requests of a window and client that each policy allows; `tax` is the operator's to set (decisions, "Transport"). */
export const QUOTAS = { tax: 60, contract: 120 };

export type PolicyName = keyof typeof QUOTAS;

export const WINDOW_SECONDS = 60;

/** Milliseconds that a request waits for Redis before it is counted here. */
const REDIS_TIMEOUT_MS = 500;

/** Usage of a client's quota after a request was charged to it. */
export interface Usage {
  /** Number of requests that a window allows. */
  readonly quota: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly seconds: number;
  readonly refused: boolean;
}

export class Quotas {
  private readonly quotas: Readonly<Record<PolicyName, number>>;
  private readonly limiters: Readonly<Record<PolicyName, RateLimiterAbstract>>;

  private constructor(
    rateLimit: number,
    private readonly redis: Redis | undefined,
  ) {
    this.quotas = { ...QUOTAS, tax: rateLimit };
    this.limiters = {
      tax: limiter('tax', this.quotas.tax, redis),
      contract: limiter('contract', QUOTAS.contract, redis),
    };
  }

  /** Opens the quotas of a server. @returns undefined where the limit is turned off */
  static async open({ rateLimit, redisUrl }: Config, log: Logger): Promise<Quotas | undefined> {
    if (rateLimit === 0) return undefined;
    return new Quotas(rateLimit, redisUrl === undefined ? undefined : await connect(redisUrl, log));
  }

  close(): void {
    this.redis?.disconnect();
  }

  /** Charges one request to a client. */
  async charge(policy: PolicyName, client: string): Promise<Usage> {
    const quota = this.quotas[policy];
    try {
      return usage(quota, await this.limiters[policy].consume(client), false);
    } catch (reason) {
      if (reason instanceof RateLimiterRes) return usage(quota, reason, true); // no error: a refusal
      throw reason;
    }
  }
}

const usage = (quota: number, { msBeforeNext, remainingPoints }: RateLimiterRes, refused: boolean): Usage => ({
  quota,
  remaining: refused ? 0 : remainingPoints,
  seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  refused,
});

/** Makes a policy's limiter: it refuses a client over its quota from memory until the window ends, and counts alone without Redis. */
function limiter(policy: PolicyName, points: number, redis: Redis | undefined): RateLimiterAbstract {
  const options = { points, duration: WINDOW_SECONDS, keyPrefix: `hubledger:${policy}` };
  const local = new RateLimiterMemory(options);
  if (!redis) return local;
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    inMemoryBlockOnConsumed: points + 1,
    insuranceLimiter: local,
  });
}

/**
 * Connects to Redis, or resolves all the same when it cannot be reached for now: the connection comes back by itself.
 * @param url redis: or rediss: (TLS), with name, password and number of the database where needed
 */
async function connect(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: REDIS_TIMEOUT_MS,
    socketTimeout: REDIS_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  let lost = false;
  const lose = (err?: Error) => {
    if (!lost) log.warn({ err }, 'requests are counted in this process only: Redis is lost');
    lost = true;
  };
  redis.on('error', lose);
  redis.on('reconnecting', () => lose()); // a connection that ends in good order is no error
  redis.on('ready', () => {
    if (lost) log.info('requests are counted in Redis again');
    lost = false;
  });
  await redis.connect().catch(() => undefined);
  return redis;
}
