/** What must hold of a request before anyone looks at it: a host, a URL of bearable length. */
import type { Middleware } from '../context.js';
import { Problem } from '../problem.js';
import { URL_LIMIT } from '../request-input.js';

export const URL_TOO_LONG =
  `the URL is longer than the limit of ${URL_LIMIT} bytes; ` +
  'send long tags and asset_decisions as the JSON body of a POST to the same path (userTags, assetDecisions)';

export const transport: Middleware = ({ req }, next) => {
  if (req.httpVersionMinor === 1 && req.headers.host === undefined) {
    throw new Problem('bad_request', 'an HTTP/1.1 request needs the header Host');
  }
  if (req.url!.length > URL_LIMIT) throw new Problem('bad_request', URL_TOO_LONG);
  return next();
};
