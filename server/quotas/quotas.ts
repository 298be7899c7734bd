/**
 * Quotas per client, told on every answer that is charged (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers). They are
 * counted in this process, or in Redis or Valkey for all servers that share one; while that is lost each server goes on counting for
 * itself, and says so in its log.
 */
import { isIP, isIPv4 } from 'node:net';
import { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import type { PolicyName } from '../endpoint.js';
import { Problem } from '../problem.js';

/** Requests of a window and client that each policy allows; `tax` is the operator's to set (decisions, "Transport"). */
export const QUOTAS: Readonly<Record<PolicyName, number>> = { tax: 60, contract: 120 };

const WINDOW_SECONDS = 60;

/** Milliseconds that a request waits for Redis before it is counted here. */
const REDIS_TIMEOUT_MS = 500;

/** Usage of a client's quota after a request was charged to it. */
interface Usage {
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

/**
 * Charges requests to the quota of a policy.
 * @param quotas undefined where the limit is turned off
 */
export function rateLimit(policy: PolicyName, quotas: Quotas | undefined): Middleware {
  if (!quotas) return (_ctx, next) => next();
  return async (ctx, next) => {
    const usage = await quotas.charge(policy, bucketOf(ctx));
    ctx.set(quotaHeaders(policy, usage));
    if (usage.refused) {
      throw new Problem('rate_limited', `more than ${usage.quota} requests in ${WINDOW_SECONDS} seconds`, {
        retryAfter: usage.seconds,
        violatedPolicies: [policy],
      });
    }
    return next();
  };
}

/** The name of a quota bucket: the account of a caller who may read tax data (decision U4), else the client's address. */
function bucketOf({ ip, req, state: { caller } }: Context): string {
  if (caller?.scopes.includes('tax:read')) return `account:${caller.account}`;
  if (isIPv4(ip)) return ip;
  return addressKey(ip) ?? addressKey(req.socket.remoteAddress ?? '') ?? 'unknown'; // a proxy may pass on anything
}

function quotaHeaders(policy: PolicyName, { quota, remaining, seconds }: Usage): Record<string, string> {
  // Quotas run by the real clock, also where the service's "now" stands still.
  const reset = Math.floor(Date.now() / 1000) + seconds;
  return {
    'RateLimit-Policy': `"${policy}";q=${quota};w=${WINDOW_SECONDS}`,
    RateLimit: `"${policy}";r=${remaining};t=${seconds}`,
    'X-RateLimit-Limit': String(quota),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  };
}

/**
 * The key of an address: an IPv4 address, or the /56 of an IPv6 address, which is what one household gets.
 * '203.0.113.7:5000' → '203.0.113.7', '[2001:db8:1:2ff::1]:5000' → '2001:db8:1:200::/56'.
 * @returns undefined for a text that is no address
 */
export function addressKey(text: string): string | undefined {
  const withoutPort = text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const bare = withoutPort.replace(/%.*$/, '');
  if (isIP(bare) === 0) return undefined; // ipaddr.js also reads 0x7f.1
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const [first, second, third, fourth] = address.parts as [number, number, number, number];
  return `${[first, second, third, fourth & 0xff00].map((group) => group.toString(16)).join(':')}::/56`;
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
