/** Rate limiters, in memory or shared in Redis or Valkey. If Redis is lost, each server counts alone and logs it. */
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { LIMITS } from '../limits.js';

/** A quota and its window in seconds. */
export interface Window {
  /** Policy name in the RateLimit headers. */
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

export type Limiter = Pick<RateLimiterAbstract, 'consume' | 'get'>;

/** Redis and whether it is usable: it may be unreachable, full, a replica, or refuse the password. */
export class SharedCounts {
  readonly redis: Redis;
  private isLost = false;

  /** redis: or rediss: (TLS), with user, password and database number if needed */
  private constructor(
    url: string,
    private readonly log: Logger,
  ) {
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: LIMITS.waits.redis.max,
      socketTimeout: LIMITS.waits.redis.max,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    this.redis.on('error', (err) => this.lose(err));
    this.redis.on('reconnecting', () => this.lose()); // a clean disconnect emits no error
  }

  /** Connects, or resolves anyway: the client reconnects by itself. */
  static async connect(url: string, log: Logger): Promise<SharedCounts> {
    const counts = new SharedCounts(url, log);
    await counts.redis.connect().catch(() => undefined);
    return counts;
  }

  lose(err?: Error): void {
    if (!this.isLost) this.log.warn({ err }, 'Redis is unavailable: requests are counted in this process only');
    this.isLost = true;
  }

  find(): void {
    if (this.isLost) this.log.info('requests are counted in Redis again');
    this.isLost = false;
  }
}

/** Creates a limiter that falls back to memory without Redis. */
export function limiter({ name, quota, seconds }: Window, counts: SharedCounts | undefined): Limiter {
  const options = { points: quota, duration: seconds, keyPrefix: `hubledger:${name}` };
  const local = new RateLimiterMemory(options);
  if (!counts) return local;
  const shared = new RateLimiterRedis({ ...options, storeClient: counts.redis, rejectIfRedisNotReady: true });
  const either = async <Result>(ask: (limiter: Limiter) => Promise<Result>): Promise<Result> => {
    try {
      const result = await ask(shared);
      counts.find();
      return result;
    } catch (reason) {
      if (reason instanceof RateLimiterRes) throw reason; // a refusal, not an error
      counts.lose(reason as Error);
      return ask(local);
    }
  };
  return rememberingRefusals({
    get: (client) => either((limiter) => limiter.get(client)),
    consume: (client, units) => either((limiter) => limiter.consume(client, units)),
  });
}

/** Refused clients that are cached. */
const REFUSED_MAX = 10_000;

/**
 * Repeats refusals without asking Redis. The block list of the library uses the wall clock: set back two hours, it
 * would refuse for two hours.
 */
function rememberingRefusals(limiter: Limiter): Limiter {
  const refused = new LRUCache<string | number, true>({ max: REFUSED_MAX });
  return {
    get: (client) => limiter.get(client),
    async consume(client, units) {
      const left = refused.getRemainingTTL(client);
      if (left > 0) throw new RateLimiterRes(0, left);
      try {
        return await limiter.consume(client, units);
      } catch (reason) {
        if (reason instanceof RateLimiterRes) refused.set(client, true, { ttl: reason.msBeforeNext });
        throw reason;
      }
    },
  };
}
