/**
 * Compression of what is made for one request, by koa-compress: bodies that carry their own Content-Encoding pass. Around it stand
 * three things that it leaves out: HEAD has the headers of GET, a client may take no coding at all, and gzip goes before Brotli.
 */
import { Readable } from 'node:stream';
import koaCompress from 'koa-compress';
import type { Context, Middleware } from '../context.js';
import { BROTLI_OPTIONS, COMPRESSION_THRESHOLD_BYTES, negotiateCoding } from '../http/content-coding.js';

export function compress(): Middleware {
  const compressBody = koaCompress({
    threshold: COMPRESSION_THRESHOLD_BYTES,
    gzip: { level: 1 },
    br: BROTLI_OPTIONS,
    deflate: false,
    zstd: false,
    encodingPreference: ['gzip', 'br', 'identity'],
  }) as Middleware;
  const compressHead: Middleware = async (ctx, next) => {
    await compressBody(ctx, async () => {
      await next();
      actAsGet(ctx);
    });
    ctx.method = 'HEAD';
  };
  return (ctx, next) => {
    ctx.state.coding = negotiateCoding(ctx.req);
    if (ctx.state.coding === 'identity') ctx.compress = false;
    return ctx.method === 'HEAD' ? compressHead(ctx, next) : compressBody(ctx, next);
  };
}

/** Lets a HEAD request be compressed as its GET is, without a stream being read for it. */
function actAsGet(ctx: Context): void {
  if (ctx.body instanceof Readable) {
    const { length } = ctx;
    ctx.body.destroy();
    ctx.body = Readable.from([]);
    if (length !== undefined) ctx.length = length;
  }
  ctx.method = 'GET';
}
