/** Public data may be read by pages of any origin, without credentials (decisions, "Transport"). */
import type { Middleware } from '../context.js';
import { type HeaderList, reply } from '../reply.js';

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

const STANDING = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED_HEADERS];

export const cors: Middleware = (ctx, next) => {
  const { req, state } = ctx;
  state.headers.push(...STANDING);
  if (req.method !== 'OPTIONS' || !state.route) return next();
  // A preflight is not charged to a quota: it stands before the limiter.
  const { allow } = state.route;
  const isPreflight = req.headers['access-control-request-method'] !== undefined;
  reply(ctx, 204, ['Allow', allow, ...(isPreflight ? permissions(allow) : [])]);
  return undefined;
};

const permissions = (methods: string): HeaderList => [
  'Access-Control-Allow-Methods',
  methods,
  'Access-Control-Allow-Headers',
  ACCEPTED_HEADERS,
  'Access-Control-Max-Age',
  DAY_SECONDS,
];
