/** https only (specification, "Limits"): the proxy in front speaks TLS and says how a request came to it. */
import type { Config } from '../../pipeline/config.js';
import type { Middleware } from '../context.js';
import { forwardedValue } from '../http/client-address.js';
import { Problem } from '../problem.js';

const YEAR_SECONDS = 365 * 86_400;

/** Tells browsers to come by https from now on; nothing where the service has no https. */
export const strictTransport = ({ baseUrl }: Config): Record<string, string> =>
  baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } : {};

/** Sends what came as http to https, or refuses it where a redirect would repeat what was sent in the clear. */
export function httpsOnly(config: Config): Middleware {
  const { trustedHops, baseUrl } = config;
  const secureBase = baseUrl.replace(/^http:/, 'https:');
  const headers = strictTransport(config);
  return (ctx, next) => {
    if (trustedHops === 0 || forwardedValue(ctx.req.headers['x-forwarded-proto'], trustedHops) !== 'http') {
      ctx.set(headers);
      return next();
    }
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new Problem('bad_request', 'the API is served over https only');
    }
    ctx.body = null;
    ctx.status = 308;
    ctx.set('Location', `${secureBase}${ctx.path}${ctx.search}`);
    return Promise.resolve();
  };
}
