/** What must hold of a request before anyone looks at it: a host, a URL of bearable length, https behind a proxy. */
import type { Config } from '../../pipeline/config.js';
import { forwardedValue } from '../client-address.js';
import type { Middleware } from '../context.js';
import { Problem } from '../problem.js';
import { reply } from '../reply.js';
import { URL_LIMIT } from '../request-input.js';

export const URL_TOO_LONG =
  `the URL is longer than the limit of ${URL_LIMIT} bytes; ` +
  'send long tags and asset_decisions as the JSON body of a POST to the same path (userTags, assetDecisions)';

export function transport({ trustedHops, baseUrl }: Config): Middleware {
  const secureBase = baseUrl.replace(/^http:/, 'https:');
  return (ctx, next) => {
    const { req, state } = ctx;
    const url = req.url ?? '/';
    if (req.httpVersionMinor === 1 && req.headers.host === undefined) {
      throw new Problem('bad_request', 'an HTTP/1.1 request needs the header Host');
    }
    if (url.length > URL_LIMIT) throw new Problem('bad_request', URL_TOO_LONG);
    if (trustedHops === 0 || forwardedValue(req.headers['x-forwarded-proto'], trustedHops) !== 'http') return next();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new Problem('bad_request', 'the API is served over https only');
    }
    const location = `${secureBase}${state.path}${state.query && `?${state.query}`}`;
    reply(ctx, 308, ['Location', location, 'Content-Length', '0']);
    return undefined;
  };
}
