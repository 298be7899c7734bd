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

/** Makes a window's limiter: it refuses a client over its quota from memory until the window ends, and counts alone without Redis. */
export function limiter({ name, quota, seconds }: Window, redis: Redis | undefined): Limiter {
  const options = { points: quota, duration: seconds, keyPrefix: `hubledger:${name}` };
  const local = new RateLimiterMemory(options);
  if (!redis) return local;
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: local,
  });
  return rememberingRefusals(shared);
}

/** Clients whose refusal is remembered, so that they cost no question. */
const REFUSED_MAX = 10_000;

/** Refuses again from memory. The limiter's own memory goes by the clock of the day: set back two hours, it refuses for two hours. */
function rememberingRefusals(limiter: RateLimiterAbstract): Limiter {
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

/**
 * Connects to Redis, or resolves all the same when it cannot be reached for now: the connection comes back by itself.
 * @param url redis: or rediss: (TLS), with name, password and number of the database where needed
 */
export async function connect(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: LIMITS.waits.redis.max,
    socketTimeout: LIMITS.waits.redis.max,
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
