/** Conditional requests (RFC 9110, 13): a response whose validators the caller has already is 304. */
import fresh from 'fresh';
import type { Context } from '../context.js';
import { CACHE_CONTROL } from '../http/etag.js';

/**
 * Sets status and validators of a response that is the same for everybody. One that goes to somebody who signed in has none: it must
 * not be kept on the way.
 * @param cacheControl of public responses
 * @returns whether the response is 304, and nothing else is to be done
 */
export function isUnchanged(ctx: Context, etag: string, cacheControl: string = CACHE_CONTROL.public): boolean {
  ctx.status = 200;
  if (ctx.state.caller) {
    ctx.set('Cache-Control', CACHE_CONTROL.private);
    return false;
  }
  ctx.set({ ETag: etag, 'Cache-Control': cacheControl });
  // Not ctx.fresh: fetch() sends Cache-Control: no-cache along with an If-None-Match that is set by hand.
  if (!fresh({ 'if-none-match': ctx.get('If-None-Match') }, { etag })) return false;
  ctx.status = 304;
  return true;
}
