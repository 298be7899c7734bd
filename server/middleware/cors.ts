/**
 * Cross-origin access (decision U5, "Transport"): public data may be read by pages of any origin, without credentials; what acts as a
 * user only by the operator's own pages, with them; an embedded report only by the pages that its key was made for.
 */
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import type { Access } from '../endpoint.js';
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
  'X-Coverage',
  'X-Dataset',
  'X-Ignored-Parameters',
  'X-Saved-Opening-Lots',
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

/** Headers of answers that pages of every origin may read. */
export const PUBLIC_ACCESS = readableBy('*');
const CREDENTIALS = { 'Access-Control-Allow-Credentials': 'true' };

/** Stands where no endpoint is; those that every page may read send its headers with their own. */
export const publicAccess: Middleware = (ctx, next) => {
  ctx.set(PUBLIC_ACCESS);
  return next();
};

/** Stands before endpoints that not every page may read. */
export function cors(access: Access, { baseUrl, wasmUrl }: Config, store: Store): Middleware {
  const own = new Set([baseUrl, wasmUrl].map((url) => new URL(url).origin));
  const admit = async (ctx: Context, origin: string) =>
    access === 'widget' ? admitWidget(ctx, store) : own.has(origin);
  return async (ctx, next) => {
    const origin = ctx.get('Origin');
    ctx.vary('Origin'); // who asked decides: no cache may give one's answer to another
    const admitted = await admit(ctx, origin);
    if (admitted && origin !== '') ctx.set(readableBy(origin));
    if (admitted && access === 'own') ctx.set(CREDENTIALS);
    return next();
  };
}

/** Whether the request asks, for a page that may read the answer, which methods it may send. */
export const isPreflight = (ctx: Context) =>
  ctx.get('Access-Control-Request-Method') !== '' && ctx.res.hasHeader('Access-Control-Allow-Origin');

/** The headers of a preflight's answer. @param methods as the header Allow lists them */
export const preflightHeaders = (methods: string) => ({
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': ACCEPTED_HEADERS,
  'Access-Control-Max-Age': DAY_SECONDS,
});
