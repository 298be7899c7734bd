/**
 * Cross-origin access (decision U5, "Transport"). All sites may read public data. Only our own pages may read user
 * data, with cookies. Pages with an embedded report may read it if their origin is listed in the widget key.
 */
import { quoted } from '../../../pipeline/base/json/quoted.js';
import type { Config } from '../../../pipeline/config.js';
import { faultAt, Problem } from '../../http/problem.js';
import { checkWidgetKey } from '../../people/accounts/widget-keys.js';
import type { CachedQueries, Store } from '../../people/store/store.js';
import type { Context, Middleware } from '../context.js';
import type { Access } from '../endpoint.js';

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
  'X-Coverage',
  'X-Dataset',
  'X-Ignored-Parameters',
  'X-Methodology-Version',
  'X-Parts',
  'X-Saved-Opening-Lots',
  'X-Tags-Unused',
  'Link',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'Content-Disposition',
].join(', ');

const ACCEPTED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';
const DAY_SECONDS = '86400';

const readableBy = (origin: string) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
});

export const PUBLIC_ACCESS = readableBy('*');
const CREDENTIALS = { 'Access-Control-Allow-Credentials': 'true' };

export const publicAccess: Middleware = (ctx, next) => {
  ctx.set(PUBLIC_ACCESS);
  return next();
};

export function cors(access: Access, { baseUrl, wasmUrl, now }: Config, store: Store): Middleware {
  const serverOrigins = new Set([baseUrl, wasmUrl].map((url) => new URL(url).origin));
  const admit = async (ctx: Context, origin: string) =>
    access === 'widget' ? admitWidget(ctx, store, now()) : serverOrigins.has(origin);
  return async (ctx, next) => {
    const origin = ctx.get('Origin');
    ctx.vary('Origin');
    const admitted = await admit(ctx, origin);
    if (admitted && origin !== '') ctx.set(readableBy(origin));
    if (admitted && access === 'same-origin') ctx.set(CREDENTIALS);
    return next();
  };
}

export const isPreflight = (ctx: Context) =>
  ctx.get('Access-Control-Request-Method') !== '' && ctx.res.hasHeader('Access-Control-Allow-Origin');

export const preflightHeaders = (methods: string) => ({
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': ACCEPTED_HEADERS,
  'Access-Control-Max-Age': DAY_SECONDS,
});

/**
 * Admits pages at the key's origins, and programs, which send no Origin (decision U5). An invalid key is only recorded
 * here. The request is refused later, after it has been counted in the quota.
 */
async function admitWidget({ req, state, querystring }: Context, store: CachedQueries, now: Date): Promise<boolean> {
  const given = new URLSearchParams(querystring).getAll('api_key');
  const [presented = ''] = given;
  const { origin } = req.headers;
  const key = given.length === 1 ? await checkWidgetKey(store, presented, now) : undefined;
  if (given.length > 1) state.refusal = faultAt('api_key', `is given ${given.length} times`);
  else if (presented === '') state.refusal = new Problem('unauthorized', 'send the key of the page as api_key');
  else if (!key) state.refusal = new Problem('invalid_api_key', 'the key is unknown or revoked');
  else if (origin !== undefined && !key.origins.includes(origin)) {
    state.refusal = new Problem(
      'forbidden',
      `the key is not for pages of ${quoted(origin)}: create one for this origin`,
    );
  } else state.widget = key;
  return state.widget !== undefined;
}
