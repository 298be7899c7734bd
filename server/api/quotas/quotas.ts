/**
 * Quotas for each client, reported in headers (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers). A
 * request with a session or key also counts for its IP address. Otherwise one address could multiply its quota with
 * free accounts.
 */
import type { Logger } from 'pino';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../../pipeline/config.js';
import { addressOf } from '../../http/connections.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import type { Context, Middleware } from '../context.js';
import type { PolicyName } from '../endpoint.js';
import { type Limiter, limiter, SharedCounts, type Window } from './limiter.js';

/** Default quotas, in requests per minute and client. The operator can configure `tax` (decisions, "Transport"). */
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
  readonly left: number;
  readonly refused: boolean;
}

/** Whom a request counts for. */
export interface Payer {
  readonly client: string;
  /** Requests of the tax API a minute, if the client is a key with a quota of its own. */
  readonly requests?: number | undefined;
}

interface Counting {
  readonly window: Window;
  readonly limiter: Limiter;
}

export class Quotas {
  private readonly standard = new Map<QuotaName, Counting>();
  /** For keys with a quota of their own, by name and quota. Operators set few different quotas. */
  private readonly keyQuotas = new Map<string, Counting>();

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
    this.standard.set(window.name, { window, limiter: limiter(window, this.shared) });
  }

  /** @param quota undefined for the standard quota */
  private counting(name: QuotaName, quota: number | undefined): Counting {
    const standard = this.standard.get(name)!;
    if (quota === undefined) return standard;
    const id = `${name} ${quota}`;
    let counting = this.keyQuotas.get(id);
    if (!counting) {
      const window = { ...standard.window, quota };
      counting = { window, limiter: limiter(window, this.shared) };
      this.keyQuotas.set(id, counting);
    }
    return counting;
  }

  static async open({ rateLimit, redisUrl }: Config, log: Logger): Promise<Quotas | undefined> {
    if (rateLimit === 0) return undefined;
    return new Quotas(rateLimit, redisUrl === undefined ? undefined : await SharedCounts.connect(redisUrl, log));
  }

  close(): void {
    this.shared?.redis.disconnect();
  }

  charge(name: QuotaName, { client, requests }: Payer): Promise<Usage> {
    return count(this.counting(name, requests), client, 1);
  }

  /** Takes back one request of a client. */
  async refund(name: QuotaName, { client, requests }: Payer): Promise<void> {
    await this.counting(name, requests).limiter.reward(client, 1);
  }

  /**
   * Counts the rows of a response in the quota. Refuses only if the quota was already exceeded, because a single wallet
   * may have more rows than the quota. The quota is proportional to the quota of requests.
   */
  async chargeRows({ client, requests }: Payer, rows: number): Promise<void> {
    const counting = this.counting('rows', requests && requests * LIMITS.quotas.rowsFactor.max);
    const { window, limiter } = counting;
    const spent = await limiter.get(client);
    if (spent && spent.consumedPoints >= window.quota) throw refusal(usage(window, spent, true));
    await count(counting, client, rows);
  }
}

async function count({ window, limiter }: Counting, client: string, units: number): Promise<Usage> {
  try {
    return usage(window, await limiter.consume(client, units), false);
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return usage(window, reason, true);
    throw reason;
  }
}

export function rateLimit(policy: PolicyName | 'datasets' | 'unknown-path', quotas: Quotas | undefined): Middleware {
  if (!quotas) return (_ctx, next) => next();
  return async (ctx, next) => {
    // A key with a quota of its own must not be limited by the quota of its address, which was charged before the key was known.
    if (ctx.state.caller?.quota) await quotas.refund('address', ofAddress(ctx));
    const usage = await quotas.charge(policy, payerOf(policy, ctx));
    ctx.res.setHeaders(quotaHeaders(usage));
    if (usage.refused) throw refusal(usage);
    if (policy === 'sign-in') await requireLeft(quotas, 'sign-in-day', ctx);
    return next();
  };
}

/**
 * Limits requests per IP address before a key or session is looked up, because each invalid one costs a database query.
 */
export function limitAddress(quotas: Quotas | undefined): Middleware {
  if (!quotas) return (_ctx, next) => next();
  return async (ctx, next) => {
    await requireLeft(quotas, 'address', ctx);
    return next();
  };
}

async function requireLeft(quotas: Quotas, name: OtherQuota, ctx: Context): Promise<void> {
  const usage = await quotas.charge(name, ofAddress(ctx));
  if (!usage.refused) return;
  ctx.res.setHeaders(quotaHeaders(usage));
  throw refusal(usage);
}

const refusal = ({ window: { name, quota, seconds }, left }: Usage) =>
  new Problem('rate_limited', `more than ${quota} ${name === 'rows' ? 'rows' : 'requests'} in ${seconds} seconds`, {
    retryAfter: left,
    violatedPolicies: [name],
  });

const ofAddress = ({ req }: Context): Payer => ({ client: addressOf(req) });

function payerOf(policy: PolicyName | OtherQuota, ctx: Context): Payer {
  if (policy === 'sign-in') return ofAddress(ctx);
  const { caller } = ctx.state;
  if (caller?.quota && (policy === 'tax' || policy === 'rows')) {
    return { client: `key:${caller.quota.key}`, requests: caller.quota.requests };
  }
  return { client: clientOf(ctx) };
}

/** Returns a function that counts rows of a long answer for the sender of a request. */
export const rowCharge = (quotas: Quotas | undefined, ctx: Context) => async (rows: number) =>
  quotas?.chargeRows(payerOf('rows', ctx), rows);

/**
 * Returns the id of the client for quotas: the account if the caller may read tax data (decision U4), otherwise the IP
 * address.
 */
export const clientOf = ({ req, state: { caller } }: Context): string =>
  caller?.scopes.includes('tax:read') ? `account:${caller.account}` : addressOf(req);

function quotaHeaders({ window: { name, quota, seconds }, remaining, left }: Usage): Map<string, string> {
  const reset = Math.floor(Date.now() / 1000) + left;
  return new Map([
    ['RateLimit-Policy', `"${name}";q=${quota};w=${seconds}`],
    ['RateLimit', `"${name}";r=${remaining};t=${left}`],
    ['X-RateLimit-Limit', String(quota)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(reset)],
  ]);
}

const usage = (window: Window, { msBeforeNext, remainingPoints }: RateLimiterRes, refused: boolean): Usage => ({
  window,
  remaining: refused ? 0 : remainingPoints,
  // If the clock was set back, the computed time is too long, so it is limited.
  left: Math.min(window.seconds, Math.max(1, Math.ceil(msBeforeNext / 1000))),
  refused,
});
