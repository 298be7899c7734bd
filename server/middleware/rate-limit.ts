/** Quotas per client, said on every answer that is charged (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers). */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../pipeline/config.js';
import { clientKey } from '../client-address.js';
import type { Middleware } from '../context.js';
import { Problem } from '../problem.js';
import type { HeaderList } from '../reply.js';

/** Name of the policy of the tax API and its window. */
const POLICY = 'tax';
const WINDOW_SECONDS = 60;

/** @param config.rateLimit requests per window and client; 0 turns the limit off */
export function rateLimit({ rateLimit: quota, trustedHops }: Config): Middleware {
  if (quota === 0) return (_ctx, next) => next();
  const limiter = new RateLimiterMemory({ points: quota, duration: WINDOW_SECONDS });
  return async (ctx, next) => {
    if (ctx.state.route?.endpoint.policy === POLICY) {
      const usage = await limiter.consume(clientKey(ctx.req, trustedHops)).catch(refusal);
      const wait = secondsUntilReset(usage);
      ctx.state.headers.push(...quotaHeaders(quota, usage.remainingPoints, wait));
      if (usage.consumedPoints > quota) {
        throw new Problem('rate_limited', `more than ${quota} requests in ${WINDOW_SECONDS} seconds`, {
          retryAfter: wait,
          violatedPolicies: [POLICY],
        });
      }
    }
    await next();
  };
}

/** The limiter rejects with its result when a quota is used up, and with an Error when it fails itself. */
function refusal(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}

const secondsUntilReset = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000));

function quotaHeaders(quota: number, remaining: number, wait: number): HeaderList {
  // Quotas run by the real clock, also where the service's "now" stands still.
  const reset = Math.floor(Date.now() / 1000) + wait;
  return [
    'RateLimit-Policy',
    `"${POLICY}";q=${quota};w=${WINDOW_SECONDS}`,
    'RateLimit',
    `"${POLICY}";r=${remaining};t=${wait}`,
    'X-RateLimit-Limit',
    String(quota),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
  ];
}
