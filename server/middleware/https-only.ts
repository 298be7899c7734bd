/** https only (specification, "Limits"): the proxy in front speaks TLS and says how a request came to it. */
import type { Config } from '../../pipeline/config.js';
import type { Middleware } from '../context.js';
import { forwardedValue } from '../http/client-address.js';
import { Problem } from '../problem.js';
import { type HeaderList, reply } from '../reply.js';

const YEAR_SECONDS = 365 * 86_400;

/** Tells browsers to come by https from now on; nothing where the service has no https. */
export const strictTransport = ({ baseUrl }: Config): HeaderList =>
  baseUrl.startsWith('https:') ? ['Strict-Transport-Security', `max-age=${YEAR_SECONDS}`] : [];

/** Sends what came as http to https, or refuses it where a redirect would repeat what was sent in the clear. */
export function httpsOnly(config: Config): Middleware {
  const { trustedHops, baseUrl } = config;
  const secureBase = baseUrl.replace(/^http:/, 'https:');
  const standing = strictTransport(config);
  return (ctx, next) => {
    const { req, state } = ctx;
    if (trustedHops === 0 || forwardedValue(req.headers['x-forwarded-proto'], trustedHops) !== 'http') {
      state.headers.push(...standing);
      return next();
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new Problem('bad_request', 'the API is served over https only');
    }
    const location = `${secureBase}${state.path}${state.query && `?${state.query}`}`;
    reply(ctx, 308, ['Location', location, 'Content-Length', '0']);
    return undefined;
  };
}
