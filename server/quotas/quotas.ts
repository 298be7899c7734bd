/**
 * Quotas per client, reported in headers (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers). Sessions
 * and keys are charged to the account and the address: free accounts must not multiply the quota of an address.
 */
import { isIPv4 } from 'node:net';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import type { PolicyName } from '../endpoint.js';
import { addressKey } from '../http/client-address.js';
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';

/** Default requests per minute and client; `tax` is configurable (decisions, "Transport"). */
export const QUOTAS: Readonly<Record<PolicyName, number>> = {
  tax: LIMITS.quotas.tax.max,
  contract: LIMITS.quotas.contract.max,
  'sign-in': LIMITS.quotas.signIn.max,
};

type OtherQuota = 'sign-in-day' | 'address' | 'datasets' | 'unknown-path' | 'rows';
type QuotaName = PolicyName | OtherQuota;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

interface Usage {
  readonly window: Window;
  readonly remaining: number;
  /** Seconds until the window ends, at least 1. */
  readonly left: number;
  readonly refused: boolean;
}

export class Quotas {
  private readonly limiters = new Map<QuotaName, { window: Window; limiter: Limiter }>();

  private constructor(
    rateLimit: number,
    private readonly shared: SharedCounts | undefined,
  ) {
    const minutes: [QuotaName, number][] = [
      ['tax', rateLimit],
      ['contract', LIMITS.quotas.contract.max],
      ['sign-in', LIMITS.quotas.signIn.max],
      ['address', rateLimit * LIMITS.quotas.addressFactor.max],
      ['datasets', LIMITS.quotas.datasets.max],
      ['unknown-path', LIMITS.quotas.unknownPath.max],
      ['rows', rateLimit * LIMITS.quotas.rowsFactor.max],
    ];
    for (const [name, quota] of minutes) this.add({ name, quota, seconds: MINUTE_SECONDS });
    this.add({ name: 'sign-in-day', quota: LIMITS.quotas.signInDay.max, seconds: DAY_SECONDS });
  }

  private add(window: Window & { readonly name: QuotaName }): void {
    this.limiters.set(window.name, { window, limiter: limiter(window, this.shared) });
  }

  static async open({ rateLimit, redisUrl }: Config, log: Logger): Promise<Quotas | undefined> {
    if (rateLimit === 0) return undefined;
    return new Quotas(rateLimit, redisUrl === undefined ? undefined : await SharedCounts.connect(redisUrl, log));
  }

  close(): void {
    this.shared?.redis.disconnect();
  }

  async charge(name: QuotaName, client: string, units = 1): Promise<Usage> {
    const { window, limiter } = this.limiters.get(name)!;
    try {
      return usage(window, await limiter.consume(client, units), false);
    } catch (reason) {
      if (reason instanceof RateLimiterRes) return usage(window, reason, true);
      throw reason;
    }
  }

  /**
   * Charges the rows of an answer. Only an already exceeded quota refuses: a wallet may have more rows than the quota.
   */
  async chargeRows(client: string, rows: number): Promise<void> {
    const { window, limiter } = this.limiters.get('rows')!;
    const spent = await limiter.get(client);
    if (spent && spent.consumedPoints >= window.quota) throw refusal(usage(window, spent, true));
    await this.charge('rows', client, rows);
  }
}

export function rateLimit(policy: PolicyName | 'datasets' | 'unknown-path', quotas: Quotas | undefined): Middleware {
  if (!quotas) return (_ctx, next) => next();
  return async (ctx, next) => {
    const usage = await quotas.charge(policy, policy === 'sign-in' ? addressOf(ctx) : clientOf(ctx));
    ctx.set(quotaHeaders(usage));
    if (usage.refused) throw refusal(usage);
    if (policy === 'sign-in') await requireLeft(quotas, 'sign-in-day', ctx);
    return next();
  };
}

/** Charges requests with a secret to the address before the lookup: wrong secrets cost database queries. */
export function limitAddress(quotas: Quotas | undefined): Middleware {
  if (!quotas) return (_ctx, next) => next();
  return async (ctx, next) => {
    await requireLeft(quotas, 'address', ctx);
    return next();
  };
}

async function requireLeft(quotas: Quotas, name: OtherQuota, ctx: Context): Promise<void> {
  const usage = await quotas.charge(name, addressOf(ctx));
  if (!usage.refused) return;
  ctx.set(quotaHeaders(usage));
  throw refusal(usage);
}

const refusal = ({ window: { name, quota, seconds }, left }: Usage) =>
  new Problem('rate_limited', `more than ${quota} ${name === 'rows' ? 'rows' : 'requests'} in ${seconds} seconds`, {
    retryAfter: left,
    violatedPolicies: [name],
  });

/** Returns the account if the caller may read tax data (decision U4), else the address. */
export function clientOf(ctx: Context): string {
  const { caller } = ctx.state;
  return caller?.scopes.includes('tax:read') ? `account:${caller.account}` : addressOf(ctx);
}

export function addressOf({ ip, req }: Context): string {
  if (isIPv4(ip)) return ip;
  return addressKey(ip) ?? addressKey(req.socket.remoteAddress ?? '') ?? 'unknown'; // a proxy may send any text
}

function quotaHeaders({ window: { name, quota, seconds }, remaining, left }: Usage): Record<string, string> {
  // Real time: the configured "now" may be fixed.
  const reset = Math.floor(Date.now() / 1000) + left;
  return {
    'RateLimit-Policy': `"${name}";q=${quota};w=${seconds}`,
    RateLimit: `"${name}";r=${remaining};t=${left}`,
    'X-RateLimit-Limit': String(quota),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  };
}

const usage = (window: Window, { msBeforeNext, remainingPoints }: RateLimiterRes, refused: boolean): Usage => ({
  window,
  remaining: refused ? 0 : remainingPoints,
  // A clock set back reports waits that are too long.
  left: Math.min(window.seconds, Math.max(1, Math.ceil(msBeforeNext / 1000))),
  refused,
});

interface Window {
  /** Policy name in the RateLimit headers. */
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

type Limiter = Pick<RateLimiterAbstract, 'consume' | 'get'>;

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
  return cachingRefusals({
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
function cachingRefusals(limiter: Limiter): Limiter {
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
