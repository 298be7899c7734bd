/** Whom a request is charged to. */

import type { Context } from './context.js';
import { clientKey } from './http/client-address.js';

/**
 * The name of the bucket: the account of a caller who may read tax data (decision U4), else the client's address.
 * @param trustedHops proxies in front whose X-Forwarded-For is believed
 */
export const bucketOf = ({ req, state: { caller } }: Context, trustedHops: number): string =>
  caller?.scopes.includes('tax:read') ? `account:${caller.account}` : clientKey(req, trustedHops);
