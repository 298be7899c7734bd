/** Enforces https (specification, "Limits"): the proxy terminates TLS and reports the protocol. */
import type { Config } from '../../../pipeline/config.js';
import { Problem } from '../../http/problem.js';
import type { Middleware } from '../context.js';

/** Redirects http reads to https. Refuses other requests: a redirect would repeat data sent in the clear. */
export function httpsOnly({ trustedHops, baseUrl }: Config): Middleware {
  const secureBase = baseUrl.replace(/^http:/, 'https:');
  return (ctx, next) => {
    if (forwardedValue(ctx.req.headers['x-forwarded-proto'], trustedHops)?.toLowerCase() !== 'http') return next();
    ctx.remove('Strict-Transport-Security'); // ignored over http (RFC 6797, 7.2)
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead || !ctx.path.startsWith('/')) {
      throw new Problem('bad_request', 'the API is served over https only');
    }
    ctx.body = null;
    ctx.status = 308;
    ctx.set('Location', `${secureBase}${ctx.path}${ctx.search}`);
    return Promise.resolve();
  };
}

/**
 * Returns the entry of a list header that the outermost trusted proxy wrote: `hops` from the right. Entries further
 * left come from the client. If the list is shorter, its first entry is trusted.
 */
export function forwardedValue(header: string | string[] | undefined, hops: number): string | undefined {
  if (header === undefined || hops === 0) return undefined;
  const list = String(header)
    .split(',')
    .map((entry) => entry.trim());
  return list.at(-hops) ?? list[0];
}
