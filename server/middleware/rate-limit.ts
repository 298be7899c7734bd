/** Quotas per client, said on every answer that is charged (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers). */
import type { Config } from '../../pipeline/config.js';
import { bucketOf } from '../bucket.js';
import type { Middleware } from '../context.js';
import { Problem } from '../problem.js';
import { type PolicyName, type Quotas, type Usage, WINDOW_SECONDS } from '../quotas/quotas.js';
import type { HeaderList } from '../reply.js';

/** @param quotas undefined where the limit is turned off */
export function rateLimit({ trustedHops }: Config, quotas: Quotas | undefined): Middleware {
  if (!quotas) return (_ctx, next) => next();
  return async (ctx, next) => {
    const policy = ctx.state.route?.endpoint.policy ?? 'none';
    if (policy === 'none') return next();
    const usage = await quotas.charge(policy, bucketOf(ctx, trustedHops));
    ctx.state.headers.push(...quotaHeaders(policy, usage));
    if (usage.refused) {
      throw new Problem('rate_limited', `more than ${usage.quota} requests in ${WINDOW_SECONDS} seconds`, {
        retryAfter: usage.seconds,
        violatedPolicies: [policy],
      });
    }
    return next();
  };
}

function quotaHeaders(policy: PolicyName, { quota, remaining, seconds }: Usage): HeaderList {
  // Quotas run by the real clock, also where the service's "now" stands still.
  const reset = Math.floor(Date.now() / 1000) + seconds;
  return [
    'RateLimit-Policy',
    `"${policy}";q=${quota};w=${WINDOW_SECONDS}`,
    'RateLimit',
    `"${policy}";r=${remaining};t=${seconds}`,
    'X-RateLimit-Limit',
    String(quota),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
  ];
}
