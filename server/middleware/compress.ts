/**
 * Content codings (RFC 9110, 8.4 and 12.5.3): which of them a client takes, and compression of what is made for one request by
 * koa-compress. Bodies that carry their own Content-Encoding pass. Around koa-compress stand two things that it leaves out: HEAD has
 * the headers of GET, and a client may take no coding at all.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import koaCompress from 'koa-compress';
import Negotiator from 'negotiator';
import type { Coding, Context, Middleware } from '../context.js';
import { LIMITS } from '../limits.js';

/** Bodies below this many bytes go out as they are: with the headers they fill two packets, as they do compressed. */
export const COMPRESSION_THRESHOLD_BYTES = 1800;

/** The level of gzip for what is made for one request: the third takes as long as the first, and its bytes are a tenth fewer. */
export const GZIP_LEVEL = 3;

export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** The codings on offer; of those that a client wants alike, the first one. */
const CODINGS: Coding[] = ['gzip', 'br', 'identity'];
/** Gzip without a weight as the first coding: nothing can be wanted more. Almost every client says so. */
const GZIP_FIRST = /^gzip(?:,|$)/;

/** A Negotiator as it is since version 1.0; its types are older. */
interface PreferringNegotiator {
  encoding(available: readonly Coding[], options: { readonly preferred: readonly Coding[] }): Coding | undefined;
}

/** The coding that the client wants most, by the rule of koa-compress; identity when it takes none of ours. */
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
