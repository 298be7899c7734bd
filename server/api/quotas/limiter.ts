import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { LIMITS } from '../../http/limits.js';

export interface Window {
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

export type Limiter = Pick<RateLimiterAbstract, 'consume' | 'get' | 'reward'>;

/** Counts in Redis, which all servers share. Logs when Redis becomes unavailable and when it is available again. */
export class SharedCounts {
  readonly redis: Redis;
  private isLost = false;

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
    this.redis.on('reconnecting', () => this.lose()); // Redis may disconnect without an error event
  }

  /** Connects to Redis. Never rejects, because the client library reconnects by itself. */
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

/** Returns a limiter that counts in Redis. While Redis is unavailable, it counts in this process. */
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
      if (reason instanceof RateLimiterRes) throw reason; // rethrown, because it means an exceeded quota and not a failure of Redis
      counts.lose(reason as Error);
      return ask(local);
    }
  };
  return cachingRefusals({
    get: (client) => either((limiter) => limiter.get(client)),
    consume: (client, units) => either((limiter) => limiter.consume(client, units)),
    reward: (client, units) => either((limiter) => limiter.reward(client, units)),
  });
}

const REFUSED_MAX = 10_000;

/**
 * Remembers refused clients, so that Redis is not queried again for them. The library has its own block list, but it
 * uses the system clock. If the clock were set back by two hours, that list would refuse clients for two hours.
 */
function cachingRefusals(limiter: Limiter): Limiter {
  const refused = new LRUCache<string | number, true>({ max: REFUSED_MAX });
  return {
    get: (client) => limiter.get(client),
    reward: (client, units) => limiter.reward(client, units),
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
