/**
 * Limiters: counts of what each client has used of a quota in a window of time, in this process, or in Redis or Valkey for all servers
 * that share one. While that is lost each server goes on counting for itself, and says so in its log.
 */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { LIMITS } from '../limits.js';

/** A quota of a client and the window in which it counts, in whole seconds. */
export interface Window {
  /** Name of the policy that clients are told. */
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

/** Makes a window's limiter: it refuses a client over its quota from memory until the window ends, and counts alone without Redis. */
export function limiter({ name, quota, seconds }: Window, redis: Redis | undefined): RateLimiterAbstract {
  const options = { points: quota, duration: seconds, keyPrefix: `hubledger:${name}` };
  const local = new RateLimiterMemory(options);
  if (!redis) return local;
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    inMemoryBlockOnConsumed: quota + 1,
    insuranceLimiter: local,
  });
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
