/** Requests that are wrong whatever they ask for: without a host, or with a URL of unbearable length. */
import type { IncomingMessage } from 'node:http';
import { URL_LIMIT } from '../http/request-input.js';
import { Problem } from '../problem.js';

export const URL_TOO_LONG =
  `the URL is longer than the limit of ${URL_LIMIT} bytes; ` +
  'send long tags and asset_decisions as the JSON body of a POST to the same path (userTags, assetDecisions)';

/** @throws Problem bad_request */
export function validateRequest({ rawHeaders, httpVersionMinor, url }: IncomingMessage): void {
  const hosts = count(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) {
    throw new Problem('bad_request', 'an HTTP/1.1 request has the header Host, once');
  }
  if (url!.length > URL_LIMIT) throw new Problem('bad_request', URL_TOO_LONG);
}

/** @param raw names and values in turn, as sent */
function count(raw: readonly string[], name: string): number {
  let found = 0;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) found++;
  }
  return found;
}
