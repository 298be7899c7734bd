/** Enforces https. A proxy in front of the server terminates TLS and reports the protocol (specification, "Limits"). */
import type { Config } from '../../../pipeline/config.js';
import { forwardedValue } from '../../http/client-address.js';
import { Problem } from '../../http/problem.js';
import type { Middleware } from '../context.js';

/**
 * Redirects GET and HEAD to https. Refuses other methods, because a redirect would hide that their data was sent
 * unencrypted.
 */
export function httpsOnly({ trustedHops, baseUrl }: Config): Middleware {
  const secureBase = baseUrl.replace(/^http:/, 'https:');
  return (ctx, next) => {
    if (forwardedValue(ctx.req.headers['x-forwarded-proto'], trustedHops)?.toLowerCase() !== 'http') return next();
    ctx.remove('Strict-Transport-Security');
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
