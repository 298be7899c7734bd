/** Quotas per client, told on every answer that is charged (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers). */
import { isIPv4 } from 'node:net';
import type { Context, Middleware } from '../context.js';
import { addressKey } from '../http/client-address.js';
import { Problem } from '../problem.js';
import { type PolicyName, type Quotas, type Usage, WINDOW_SECONDS } from '../quotas/quotas.js';

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
