/**
 * Public data may be read by pages of any origin, without credentials; what acts as a user only by the operator's own
 * pages, with them; a report that is embedded only by the pages that its key was made for (decisions U5, "Transport").
 */
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import { type HeaderList, reply } from '../reply.js';
import type { Store } from '../store/store.js';
import { admitWidget } from './widget-key.js';

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
  'X-Block-Height',
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

export function cors({ baseUrl, wasmUrl }: Config, store: Store): Middleware {
  const own = new Set([baseUrl, wasmUrl].map((url) => new URL(url).origin));
  return (ctx, next) => {
    const { origin = '' } = ctx.req.headers;
    const access = ctx.state.route?.endpoint.access;
    if (access === undefined) return grant(ctx, next, true, PUBLIC_ACCESS);
    ctx.state.headers.push('Vary', 'Origin'); // who asked decides: no cache may give one's answer to another
    if (access === 'widget') {
      return admitWidget(ctx, store).then((admitted) =>
        grant(ctx, next, admitted, admitted && origin ? readableBy(origin) : []),
      );
    }
    const isOwn = own.has(origin);
    return grant(ctx, next, isOwn, isOwn ? [...readableBy(origin), ...CREDENTIALS] : []);
  };
}

/** @param admitted whether the page that asks may read the answer */
function grant(ctx: Context, next: () => Promise<void>, admitted: boolean, headers: HeaderList) {
  const { req, state } = ctx;
  state.headers.push(...headers);
  if (req.method !== 'OPTIONS' || !state.route) return next();
  // A preflight is not charged to a quota: it stands before the limiter.
  const { allow } = state.route;
  const isPreflight = req.headers['access-control-request-method'] !== undefined && admitted;
  reply(ctx, 204, ['Allow', allow, ...(isPreflight ? permissions(allow) : [])]);
  return undefined;
}

const CREDENTIALS: HeaderList = ['Access-Control-Allow-Credentials', 'true'];
const readableBy = (origin: string): HeaderList => ['Access-Control-Allow-Origin', origin, ...EXPOSING];

const permissions = (methods: string): HeaderList => [
  'Access-Control-Allow-Methods',
  methods,
  'Access-Control-Allow-Headers',
  ACCEPTED_HEADERS,
  'Access-Control-Max-Age',
  DAY_SECONDS,
];
