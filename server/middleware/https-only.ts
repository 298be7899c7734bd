/** The API is served over https only (specification, "Limits"): the proxy in front speaks TLS and says how a request came to it. */
import type { Config } from '../../pipeline/config.js';
import type { Middleware } from '../context.js';
import { Problem } from '../problem.js';

/** Sends what came as http to https, or refuses it where a redirect would repeat what was sent in the clear, or has no path to lead to. */
export function httpsOnly({ trustedHops, baseUrl }: Config): Middleware {
  const secureBase = baseUrl.replace(/^http:/, 'https:');
  return (ctx, next) => {
    if (forwardedValue(ctx.req.headers['x-forwarded-proto'], trustedHops)?.toLowerCase() !== 'http') return next();
    ctx.remove('Strict-Transport-Security'); // means nothing where it came in the clear (RFC 6797, 7.2)
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
 * Finds what the outermost trusted proxy wrote into a list header: the entry `hops` from the right, because what stands further
 * left was sent by the client and can be anything. A shorter list was begun by a trusted proxy too.
 */
export function forwardedValue(header: string | string[] | undefined, hops: number): string | undefined {
  if (header === undefined || hops === 0) return undefined;
  const list = String(header)
    .split(',')
    .map((entry) => entry.trim());
  return list.at(-hops) ?? list[0];
}
