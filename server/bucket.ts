/** Whom a request is charged to. */
import { clientKey } from './client-address.js';
import type { Context } from './context.js';

/**
 * The name of the bucket: the client's address.
 * @param trustedHops proxies in front whose X-Forwarded-For is believed
 */
export const bucketOf = ({ req }: Context, trustedHops: number): string => clientKey(req, trustedHops);
