/** Responses as they are put on the wire: validators, then a body and the headers that describe it. */
import { Readable } from 'node:stream';
import fresh from 'fresh';
import type { Context } from '../context.js';
import { CACHE_CONTROL } from '../http/etag.js';
import type { StreamedBody } from './answer-body.js';
import type { Body } from './response-cache.js';

/**
 * Sets status and validators of a response that is the same for everybody (RFC 9110, 13). One that goes to somebody who signed in has
 * none: it must not be kept on the way.
 * @param cacheControl of public responses
 * @returns whether the caller has the response already: then it is 304, and nothing else is to be done
 */
export function isUnchanged(ctx: Context, etag: string, cacheControl: string = CACHE_CONTROL.public): boolean {
  ctx.status = 200;
  if (ctx.state.caller) {
    ctx.set('Cache-Control', CACHE_CONTROL.private);
    return false;
  }
  ctx.set({ ETag: etag, 'Cache-Control': cacheControl });
  const known = ctx.req.headers['if-none-match'];
  // Not ctx.fresh: fetch() sends Cache-Control: no-cache along with an If-None-Match that is set by hand.
  if (known === undefined || !fresh({ 'if-none-match': known }, { etag })) return false;
  ctx.status = 304;
  return true;
}

/** Sets the body of the response, with status 200 unless another one is set, and the headers that describe it. */
export function respond(ctx: Context, body: Body | StreamedBody): void {
  ctx.set('Content-Type', body.type);
  if (body.fileName !== undefined) ctx.set('Content-Disposition', `attachment; filename="${body.fileName}"`);
  if ('bytes' in body) {
    if (body.coding !== 'identity') ctx.set('Content-Encoding', body.coding);
    ctx.body = body.bytes;
    return;
  }
  const stream = Readable.from(counted(ctx, body.source), { objectMode: false });
  stream.once('error', (error) => ctx.onerror(error)); // behind koa-compress nobody else would hear of it
  stream.once('close', body.close);
  ctx.body = stream;
  if (body.length !== undefined) ctx.length = body.length;
}

async function* counted(ctx: Context, source: AsyncIterable<string | Buffer>) {
  ctx.state.streamedBytes = 0;
  for await (const chunk of source) {
    ctx.state.streamedBytes += Buffer.byteLength(chunk);
    yield chunk;
  }
}
