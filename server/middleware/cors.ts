/** Public data may be read by pages of any origin, without credentials (decisions, "Transport"). */
import type { Middleware } from '../context.js';

/** Response headers that a page may read beside the few that browsers always show. */
export const EXPOSED_HEADERS = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Link',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'Content-Disposition',
].join(', ');

const ACCEPTED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id';
const DAY_SECONDS = '86400';

export const cors: Middleware = (ctx, next) => {
  const { req, res, state } = ctx;
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  if (req.method !== 'OPTIONS' || !state.route) return next();
  // A preflight is not charged to a quota: it stands before the limiter.
  res.statusCode = 204;
  res.setHeader('Allow', state.route.allow);
  if (req.headers['access-control-request-method'] !== undefined) {
    res.setHeader('Access-Control-Allow-Methods', state.route.allow);
    res.setHeader('Access-Control-Allow-Headers', ACCEPTED_HEADERS);
    res.setHeader('Access-Control-Max-Age', DAY_SECONDS);
  }
  res.end();
  return undefined;
};
