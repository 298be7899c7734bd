/**
 * Compresses responses (RFC 9110, 8.4 and 12.5.3). Handles two cases that koa-compress does not: HEAD, and clients that
 * accept no compression.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import koaCompress from 'koa-compress';
import Negotiator from 'negotiator';
import { LIMITS } from '../../http/limits.js';
import type { Coding, Context, Middleware } from '../context.js';

/** Smaller bodies are not compressed, because they need two network packets with or without compression. */
export const COMPRESSION_THRESHOLD_BYTES = 1800;

/** gzip level. It is as fast as level 1, and its output is a tenth smaller. */
export const GZIP_LEVEL = 3;

export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const DONE = () => Promise.resolve();

const CODINGS: Coding[] = ['gzip', 'br', 'identity'];
/** Matches the Accept-Encoding header of most clients, so that it needs no negotiation. */
const GZIP_FIRST = /^gzip(?:,|$)/;

/** A part of negotiator 1.0 that its type definitions lack. */
interface PreferringNegotiator {
  encoding(available: readonly Coding[], options: { readonly preferred: readonly Coding[] }): Coding | undefined;
}

function negotiateCoding(request: IncomingMessage): Coding {
  const accepted = request.headers['accept-encoding'];
  if (!accepted || accepted.length > LIMITS.input.accept.max) return 'identity';
  if (GZIP_FIRST.test(accepted)) return 'gzip';
  const negotiator = new Negotiator(request) as unknown as PreferringNegotiator;
  return negotiator.encoding(CODINGS, { preferred: CODINGS }) ?? 'identity';
}

export function compress(): Middleware {
  const compressBody = koaCompress({
    threshold: COMPRESSION_THRESHOLD_BYTES,
    gzip: { level: GZIP_LEVEL },
    br: BROTLI_OPTIONS,
    deflate: false,
    zstd: false,
    encodingPreference: CODINGS,
  }) as Middleware;
  const compressHead: Middleware = async (ctx, next) => {
    await compressBody(ctx, async () => {
      await next();
      actAsGet(ctx);
    });
    ctx.method = 'HEAD';
  };
  return async (ctx, next) => {
    ctx.state.coding = negotiateCoding(ctx.req);
    if (ctx.state.coding === 'identity') ctx.compress = false;
    if (ctx.method === 'HEAD') return compressHead(ctx, next);
    ctx.res.setHeader('Vary', 'Accept-Encoding');
    await next();
    if (ctx.body && !ctx.res.hasHeader('Content-Encoding')) await compressBody(ctx, DONE);
  };
}

/** Makes koa-compress set the same headers for HEAD as for GET. Does not read the body. */
function actAsGet(ctx: Context): void {
  if (ctx.body instanceof Readable) {
    const { length } = ctx;
    ctx.body.destroy();
    ctx.body = Readable.from([]);
    if (length !== undefined) ctx.length = length;
  }
  ctx.method = 'GET';
}
