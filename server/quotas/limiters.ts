/**
 * Limiters: counts of what each client has used of a quota in a window of time, in this process, or in Redis or Valkey for all servers
 * that share one. While that is lost each server goes on counting for itself, and says so in its log.
 */
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { LIMITS } from '../limits.js';

/** A quota of a client and the window in which it counts, in whole seconds. */
export interface Window {
  /** Name of the policy that clients are told. */
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

export type Limiter = Pick<RateLimiterAbstract, 'consume' | 'get'>;

/** Redis, and whether it counts: it may be out of reach, or there and refuse, as one that is full, a replica, or has another password. */
export class SharedCounts {
  readonly redis: Redis;
  private isLost = false;

  /** @param url redis: or rediss: (TLS), with name, password and number of the database where needed */
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
    this.redis.on('reconnecting', () => this.lose()); // a connection that ends in good order is no error
  }

  /** Connects to Redis, or resolves all the same when it cannot be reached for now: the connection comes back by itself. */
  static async connect(url: string, log: Logger): Promise<SharedCounts> {
    const counts = new SharedCounts(url, log);
    await counts.redis.connect().catch(() => undefined);
    return counts;
  }

  lose(err?: Error): void {
    if (!this.isLost) this.log.warn({ err }, 'requests are counted in this process only: Redis is lost');
    this.isLost = true;
  }

  find(): void {
    if (this.isLost) this.log.info('requests are counted in Redis again');
    this.isLost = false;
  }
}

/** Makes a window's limiter: it refuses a client over its quota from memory until the window ends, and counts alone without Redis. */
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
      if (reason instanceof RateLimiterRes) throw reason; // no error: a refusal
      counts.lose(reason as Error);
      return ask(local);
    }
  };
  return rememberingRefusals({
    get: (client) => either((limiter) => limiter.get(client)),
    consume: (client, units) => either((limiter) => limiter.consume(client, units)),
  });
}

/** Clients whose refusal is remembered, so that they cost no question. */
const REFUSED_MAX = 10_000;

/** Refuses again from memory. The limiter's own memory goes by the clock of the day: set back two hours, it refuses for two hours. */
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
