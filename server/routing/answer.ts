/**
 * Answers on their way out: as bodies, whole where their bytes are few, else as a stream that is made while it is read; and as
 * responses, with validators and the headers that describe a body.
 */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gunzipSync, gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import fresh from 'fresh';
import { isRecord, toJson } from '../../pipeline/json/exact-json.js';
import type { Coding, Context } from '../context.js';
import type { Answer, CoverageHeader } from '../endpoint.js';
import { JSON_TYPE, responseExtras } from '../formats/json.js';
import { CACHE_CONTROL } from '../http/etag.js';
import { joinTexts } from '../http/event-loop.js';
import { LIMITS } from '../limits.js';
import { BROTLI_OPTIONS, COMPRESSION_THRESHOLD_BYTES, GZIP_LEVEL } from '../middleware/compress.js';
import type { ValidParameters } from '../parameters/parameters.js';

/** Characters of a list that are collected, so that its length is known and it can be kept. */
const { max: WHOLE_MAX_CHARACTERS } = LIMITS.answers.longBytes;

/** A body as it goes out. */
export interface Body {
  readonly type: string;
  readonly coding: Coding;
  readonly bytes: Buffer;
  readonly fileName?: string | undefined;
  /** Text of the header X-Coverage, which is written once for a body that goes out many times. */
  readonly coverage?: string | undefined;
}

/** A body whose bytes are made while it goes out, and their number where that is known. */
export interface StreamedBody {
  readonly type: string;
  readonly source: AsyncIterable<string | Buffer>;
  /** Ends the source, also where nobody has begun to read it. */
  readonly close: () => unknown;
  readonly length?: number;
  readonly fileName?: string | undefined;
  readonly coverage?: string | undefined;
}

/** @throws Problem and whatever else the answer's first part throws: its status is not out yet */
export async function bodyOf(answer: Answer): Promise<Body | StreamedBody> {
  if ('json' in answer) return whole(JSON_TYPE, toJson(answer.json));
  if ('text' in answer) return whole(answer.type, answer.text);
  if ('bytes' in answer) return { ...answer, coding: 'identity', coverage: coverageHeader(answer.coverage) };
  if ('gzip' in answer) return { type: JSON_TYPE, coding: 'gzip', bytes: answer.gzip };
  const { type, fileName } = answer;
  const coverage = coverageHeader(answer.coverage);
  const list = joinTexts(answer.chunks);
  let text = '';
  for (let batch = await list.next(); !batch.done; batch = await list.next()) {
    text += batch.value;
    if (text.length > WHOLE_MAX_CHARACTERS) {
      return { type, fileName, coverage, source: followedBy(text, list), close: () => list.return() };
    }
  }
  return { ...whole(type, text), fileName, coverage };
}

/** Coverage as a header says it: JSON in ASCII, without the sentence for people. */
const coverageHeader = (coverage: CoverageHeader | undefined): string | undefined =>
  coverage &&
  toJson({ ...coverage, note: undefined }).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A text as a body. */
export const whole = (type: string, text: string): Body => ({ type, coding: 'identity', bytes: Buffer.from(text) });

async function* followedBy(first: string, rest: AsyncGenerator<string, void>) {
  yield first;
  yield* rest;
}

/**
 * Gives a body in the coding that a client takes. A whole one is compressed here, so that its length is known; a stream of its own
 * would cost four times the rest of a small one. A large one that is stored as gzip is unpacked while it goes out.
 */
export async function recode(
  body: Body | StreamedBody,
  coding: Coding,
  toGzip: ToGzip = gzipQuickly,
): Promise<Body | StreamedBody> {
  if (!('bytes' in body) || body.coding === coding) return body;
  if (body.coding === 'identity') {
    if (body.bytes.length < COMPRESSION_THRESHOLD_BYTES) return body;
    return { ...body, coding, bytes: await compress(body.bytes, coding, toGzip) };
  }
  const length = body.bytes.readUInt32LE(body.bytes.length - 4); // a gzip member ends with it
  if (length > WHOLE_MAX_CHARACTERS) {
    const source = createGunzip();
    source.end(body.bytes);
    return { type: body.type, source, length, close: () => source.destroy() };
  }
  return recode({ ...body, coding: 'identity', bytes: gunzipSync(body.bytes) }, coding, toGzip);
}

/** The bytes in a coding; equal bytes give equal ones. */
async function compress(bytes: Buffer, coding: Coding, toGzip: ToGzip): Promise<Buffer> {
  switch (coding) {
    case 'identity':
      return bytes;
    case 'gzip':
      return toGzip(bytes);
    case 'br':
      return brotlied(bytes, BROTLI_OPTIONS);
  }
}

type ToGzip = (bytes: Buffer) => Buffer | Promise<Buffer>;

/** Bytes up to which gzip takes a quarter of a millisecond at the most, about what a thread of the pool costs beside it. */
const AT_ONCE_MAX_BYTES = 128 * 1024;
/** Bytes up to which options with little memory to set up compress as well as the usual ones. */
const FEW_BYTES = 16 * 1024;
const USUAL = { level: GZIP_LEVEL } as const;
/** The pool of buffers has room for several chunks of such a size, of which most bodies need one. */
const FEW_CHUNK_BYTES = 2040;
const FOR_FEW_BYTES = { ...USUAL, memLevel: 5, windowBits: 13, chunkSize: FEW_CHUNK_BYTES } as const;

const gzipped = promisify<Buffer, ZlibOptions, Buffer>(gzip);
export const gzipQuickly: ToGzip = (bytes) =>
  bytes.length <= AT_ONCE_MAX_BYTES
    ? gzipSync(bytes, bytes.length <= FEW_BYTES ? FOR_FEW_BYTES : USUAL)
    : gzipped(bytes, {}); // by a thread, which has the time for the usual level
const gzipWell: ToGzip = (bytes) => gzipped(bytes, { level: constants.Z_BEST_COMPRESSION });
const brotlied = promisify(brotliCompress);

/** A body that goes out many times, compressed once for each coding. */
export class CodedBody {
  private readonly coded = new Map<Coding, Promise<Body | StreamedBody>>();

  /** @param toGzip by default so that it is smallest, for a body that goes out all day */
  constructor(
    private readonly body: Body,
    private readonly toGzip = gzipWell,
  ) {}

  in(coding: Coding): Promise<Body | StreamedBody> {
    const coded = this.coded.get(coding) ?? recode(this.body, coding, this.toGzip);
    this.coded.set(coding, coded);
    return coded;
  }
}

/**
 * Sets status and validators of a response (RFC 9110, 13). One that goes to somebody who signed in must not be kept on the way, but
 * its receiver may have it already.
 * @param cacheControl of the response to who did not sign in
 * @returns whether the caller has the response already: then it is 304, and nothing else is to be done
 */
export function isUnchanged(ctx: Context, etag: string, cacheControl: string = CACHE_CONTROL.public): boolean {
  ctx.status = 200;
  ctx.set({ ETag: etag, 'Cache-Control': ctx.state.caller ? CACHE_CONTROL.private : cacheControl });
  const known = ctx.req.headers['if-none-match'];
  // Not ctx.fresh: fetch() sends Cache-Control: no-cache along with an If-None-Match that is set by hand.
  if (known === undefined || !fresh({ 'if-none-match': known }, { etag })) return false;
  ctx.status = 304;
  return true;
}

/** Names in a header the parameters that were ignored (decision R3), each as it would stand in a URL. */
export function tellIgnored(ctx: Context, { ignored }: Pick<ValidParameters, 'ignored'>): void {
  if (ignored.length > 0) ctx.set('X-Ignored-Parameters', ignored.map(encodeURIComponent).join(', '));
}

/** Adds to an answer that is an object what it says of the request; lists write it themselves, behind their rows. */
export const withResponseExtras = (answer: Answer, parameters: ValidParameters): Answer =>
  'json' in answer && isRecord(answer.json) ? { json: { ...answer.json, ...responseExtras(parameters) } } : answer;

/** Sets the body of the response, with status 200 unless another one is set, and the headers that describe it. */
export function respond(ctx: Context, body: Body | StreamedBody): void {
  ctx.set('Content-Type', body.type);
  if (body.fileName !== undefined) ctx.set('Content-Disposition', `attachment; filename="${body.fileName}"`);
  if (body.coverage !== undefined) ctx.set('X-Coverage', body.coverage);
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

/** Tells whether an answer holds so much until it is read that few may at a time. */
export const isLong = (body: Body | StreamedBody): boolean =>
  !('bytes' in body) || body.bytes.length > LIMITS.answers.longBytes.max;

/** Calls back once the reader of a response has it, or is gone. */
export function whenSent({ res }: Context, done: () => void): void {
  if (res.closed) done();
  else res.once('close', done);
}

async function* counted(ctx: Context, source: AsyncIterable<string | Buffer>) {
  ctx.state.streamedBytes = 0;
  for await (const chunk of source) {
    ctx.state.streamedBytes += Buffer.byteLength(chunk);
    yield chunk;
  }
}
