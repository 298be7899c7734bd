/**
 * Public data may be read by pages of any origin, without credentials; what acts as a user only by the operator's own
 * pages, with them (decisions, "Transport").
 */
import type { Config } from '../../pipeline/config.js';
import type { Middleware } from '../context.js';
import { type HeaderList, reply } from '../reply.js';

/** Response headers that a page may read beside the few that browsers always show. */
const EXPOSED_HEADERS = [
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

const EXPOSING = ['Access-Control-Expose-Headers', EXPOSED_HEADERS];
/** For every origin. */
export const PUBLIC_ACCESS: HeaderList = ['Access-Control-Allow-Origin', '*', ...EXPOSING];

export function cors({ baseUrl, wasmUrl }: Config): Middleware {
  const own = new Set([baseUrl, wasmUrl].map((url) => new URL(url).origin));
  return (ctx, next) => {
    const { req, state } = ctx;
    const isOwn = own.has(req.headers.origin ?? '');
    const isPublic = state.route?.endpoint.access !== 'own';
    state.headers.push(...(isPublic ? PUBLIC_ACCESS : ownAccess(isOwn, req.headers.origin)));
    if (req.method !== 'OPTIONS' || !state.route) return next();
    // A preflight is not charged to a quota: it stands before the limiter.
    const { allow } = state.route;
    const isPreflight = req.headers['access-control-request-method'] !== undefined && (isPublic || isOwn);
    reply(ctx, 204, ['Allow', allow, ...(isPreflight ? permissions(allow) : [])]);
    return undefined;
  };
}

/** Which origin asked decides, so that no cache may give one's answer to another. */
const ownAccess = (isOwn: boolean, origin: string | undefined): HeaderList =>
  isOwn
    ? [
        'Vary',
        'Origin',
        'Access-Control-Allow-Origin',
        origin!,
        'Access-Control-Allow-Credentials',
        'true',
        ...EXPOSING,
      ]
    : ['Vary', 'Origin'];

const permissions = (methods: string): HeaderList => [
  'Access-Control-Allow-Methods',
  methods,
  'Access-Control-Allow-Headers',
  ACCEPTED_HEADERS,
  'Access-Control-Max-Age',
  DAY_SECONDS,
];
