/** Serializes and compresses answers, and sets the headers that describe a body. */

import type { ReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';
import { toJson } from '../../pipeline/base/json/exact-json.js';
import type { Answer, CoverageHeader } from '../http/answer.js';
import { addressOf } from '../http/connections.js';
import { CACHE_CONTROL, isKnown } from '../http/etag.js';
import type { Sender } from '../http/limiter.js';
import { LIMITS } from '../http/limits.js';
import { ARCHIVE_TYPE, archiveChunks } from '../tax/formats/archive.js';
import { JSON_TYPE } from '../tax/formats/json.js';
import type { Coding, Context } from './context.js';
import { BROTLI_OPTIONS, COMPRESSION_THRESHOLD_BYTES, GZIP_LEVEL } from './middleware/compress.js';
import { clientOf } from './quotas/quotas.js';
import { type Spool, type Spools, spoolError, writeSpool } from './spools.js';

const { max: WHOLE_MAX_CHARACTERS } = LIMITS.answers.longBytes;

interface Described {
  readonly type: string;
  readonly fileName?: string | undefined;
  readonly coverage?: string | undefined;
  readonly parts?: number | undefined;
}

export interface Body extends Described {
  readonly coding: Coding;
  readonly bytes: Uint8Array;
}

/** Describes a long body that was written to the spool of its request. */
export interface Written extends Described {
  readonly coding: Coding;
  readonly length: number;
}

/** A long body in its spool. The receiver must close the spool. */
export interface Spooled extends Written {
  readonly spool: Spool;
}

/** A list that is too long for one buffer. It is serialized while it is read. */
export interface LongList extends Described {
  readonly chunks: Iterable<Chunk>;
}

/** A text, or bytes of an archive. */
type Chunk = string | Uint8Array;

/** Serializes an answer. For a long list, reads only its beginning. */
export function bodyOf(answer: Answer): Body | LongList {
  if ('json' in answer) return whole(JSON_TYPE, toJson(answer.json));
  if ('text' in answer) return whole(answer.type, answer.text);
  if ('bytes' in answer) return { ...answer, coding: 'identity', coverage: coverageHeader(answer.coverage) };
  const { type, fileName, parts } = answer;
  const described = { type, fileName, coverage: coverageHeader(answer.coverage), parts };
  const source: Iterable<Chunk> = 'files' in answer ? archiveChunks(answer.files, answer.time) : answer.chunks;
  const chunks = source[Symbol.iterator]();
  const first: Chunk[] = [];
  let length = 0;
  for (let next = chunks.next(); !next.done; next = chunks.next()) {
    first.push(next.value);
    length += next.value.length;
    if (length > WHOLE_MAX_CHARACTERS) return { ...described, chunks: followedBy(first, chunks) };
  }
  return { ...described, coding: 'identity', bytes: joined(first) };
}

function* followedBy(first: readonly Chunk[], rest: Iterator<Chunk>): Generator<Chunk, void, undefined> {
  yield* first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}

/** Joins texts before they are encoded, because some lists have many short texts. */
const joined = (chunks: readonly Chunk[]): Buffer =>
  chunks.every((chunk) => typeof chunk === 'string')
    ? Buffer.from(chunks.join(''))
    : Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as Uint8Array)));

export function wholeOf(answer: Answer): Body {
  const body = bodyOf(answer);
  if (!('chunks' in body)) return body;
  const { chunks, ...described } = body;
  return { ...described, coding: 'identity', bytes: joined([...chunks]) };
}

/**
 * Writes a list to a spool, compressed.
 * @param fd remains open. When the promise settles, nothing writes to it any longer, so the caller may close it
 * @throws SpoolError, or Problem unavailable
 */
export async function spool(
  { chunks, ...described }: LongList,
  wanted: Coding,
  { fd, bytesMax }: { readonly fd: number; readonly bytesMax: number },
): Promise<Written> {
  const coding = codingFor(described, wanted);
  const compressed = encoder(coding);
  const flow = pipeline(Readable.from(chunks, { objectMode: false }), compressed);
  const [written, flowed] = await Promise.allSettled([writeSpool(fd, bytesMax, compressed), flow]);
  if (written.status === 'rejected') throw written.reason;
  if (flowed.status === 'rejected') throw flowed.reason;
  return { ...described, coding, length: written.value };
}

function encoder(coding: Coding) {
  switch (coding) {
    case 'identity':
      return new PassThrough();
    case 'gzip':
      return createGzip({ level: GZIP_LEVEL });
    case 'br':
      return createBrotliCompress(BROTLI_OPTIONS);
  }
}

/**
 * Formats coverage as ASCII JSON for the header X-Coverage, without the member `note`, which is too long for a header.
 */
const coverageHeader = (coverage: CoverageHeader | undefined): string | undefined =>
  coverage &&
  toJson({ ...coverage, note: undefined }).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const whole = (type: string, text: string): Body => ({ type, coding: 'identity', bytes: Buffer.from(text) });

/** Returns the coding of a body. An archive is already compressed. */
const codingFor = ({ type }: Described, wanted: Coding): Coding => (type === ARCHIVE_TYPE ? 'identity' : wanted);

export async function recode(body: Body, wanted: Coding, toGzip: ToGzip = gzipQuickly): Promise<Body> {
  const coding = codingFor(body, wanted);
  if (body.coding === coding || body.bytes.length < COMPRESSION_THRESHOLD_BYTES) return body;
  return { ...body, coding, bytes: await compress(body.bytes, coding, toGzip) };
}

async function compress(bytes: Uint8Array, coding: Coding, toGzip: ToGzip): Promise<Uint8Array> {
  switch (coding) {
    case 'identity':
      return bytes;
    case 'gzip':
      return toGzip(bytes);
    case 'br':
      return brotlied(bytes, BROTLI_OPTIONS);
  }
}

type ToGzip = (bytes: Uint8Array) => Buffer | Promise<Buffer>;

/**
 * Larger bodies are compressed in Node's thread pool. Up to this size, gzip takes at most 0.25 ms, so the main thread
 * compresses the body at once.
 */
const AT_ONCE_MAX_BYTES = 128 * 1024;
/** Up to this size, gzip options that save memory do not make the output larger. */
const FEW_BYTES = 16 * 1024;
const USUAL = { level: GZIP_LEVEL } as const;
/** Size of gzip's output chunks. It fits into Node's buffer pool, and most bodies need only one chunk. */
const FEW_CHUNK_BYTES = 4080;
const FOR_FEW_BYTES = { ...USUAL, memLevel: 6, windowBits: 14, chunkSize: FEW_CHUNK_BYTES } as const;

const gzipped = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);
export const gzipQuickly: ToGzip = (bytes) =>
  bytes.length <= AT_ONCE_MAX_BYTES
    ? gzipSync(bytes, bytes.length <= FEW_BYTES ? FOR_FEW_BYTES : USUAL)
    : gzipped(bytes, {});
const gzipWell: ToGzip = (bytes) => gzipped(bytes, { level: constants.Z_BEST_COMPRESSION });
const brotlied = promisify(brotliCompress);

/** A body that is sent many times. It is compressed once for each content coding. */
export class CodedBody {
  private readonly coded = new Map<Coding, Promise<Body>>();

  constructor(
    private readonly body: Body,
    private readonly toGzip = gzipWell,
  ) {}

  in(coding: Coding): Promise<Body> {
    const coded = this.coded.get(coding) ?? recode(this.body, coding, this.toGzip);
    this.coded.set(coding, coded);
    return coded;
  }
}

/**
 * Sets ETag and Cache-Control (RFC 9110, 13).
 * @param cacheControl not used for signed-in callers, whose responses are private
 * @returns true if the caller already has this response; the status is then 304
 */
export function isUnchanged(ctx: Context, etag: string, cacheControl: string = CACHE_CONTROL.public): boolean {
  ctx.status = 200;
  ctx.res.setHeader('ETag', etag);
  ctx.res.setHeader('Cache-Control', ctx.state.caller ? CACHE_CONTROL.private : cacheControl);
  if (!isKnown(ctx.req.headers['if-none-match'], etag)) return false;
  ctx.status = 304;
  return true;
}

/** Lists unknown parameters in a response header (decision R3). */
export function setIgnoredHeader(ctx: Context, ignored: readonly string[]): void {
  if (ignored.length > 0) ctx.set('X-Ignored-Parameters', ignored.map(encodeURIComponent).join(', '));
}

/** Maximum number of keys in a header, so that it stays below the limits of proxies. JSON lists all of them. */
const UNUSED_TAGS_MAX = 20;

/** Lists keys of tags that reached none of their rows in a response header (decision R6). */
export function setUnusedTagsHeader(ctx: Context, keys: readonly string[] = []): void {
  const named = keys.slice(0, UNUSED_TAGS_MAX).map(encodeURIComponent);
  if (named.length > 0) ctx.set('X-Tags-Unused', named.join(', '));
}

export function respond(ctx: Context, body: Body | Spooled): void {
  const { res } = ctx;
  res.setHeader('Content-Type', body.type);
  if (body.fileName !== undefined) res.setHeader('Content-Disposition', `attachment; filename="${body.fileName}"`);
  if (body.coverage !== undefined) res.setHeader('X-Coverage', body.coverage);
  if (body.parts !== undefined) res.setHeader('X-Parts', String(body.parts));
  if (body.coding !== 'identity') res.setHeader('Content-Encoding', body.coding);
  else if (!('bytes' in body)) ctx.compress = false; // koa-compress must not compress, because negotiation has chosen no compression
  if ('bytes' in body) {
    const { buffer, byteOffset, length } = body.bytes;
    ctx.body = Buffer.isBuffer(body.bytes) ? body.bytes : Buffer.from(buffer, byteOffset, length);
    return;
  }
  const { spool, length } = body;
  const stream = spool.file.createReadStream({ start: 0, end: length - 1 });
  stream.once('close', () => spool.close());
  sendStream(ctx, stream, length);
}

/** Sends a body that is in memory. A large one waits for its reader on disk instead. */
export async function respondFrom(ctx: Context, body: Body, spools: Spools): Promise<void> {
  const { bytes, ...described } = body;
  if (bytes.length <= LIMITS.answers.longBytes.max) return respond(ctx, body);
  const spool = await spools.open(addressOf(ctx.req));
  try {
    spool.add(bytes.length);
    await spool.file.writeFile(bytes);
  } catch (error) {
    await spool.close();
    throw spools.problemOf(spoolError(error));
  }
  respond(ctx, { ...described, length: bytes.length, spool });
}

/** Sends a file. Koa destroys the stream, which closes the file, when the response ends. */
export function sendStream(ctx: Context, stream: ReadStream, length: number): void {
  ctx.body = stream;
  ctx.length = length;
  if (ctx.res.closed) stream.destroy(); // the client has left, so that Koa does not do it
}

function whenSent({ res }: Context, done: () => void): void {
  if (res.closed) done();
  else res.once('close', done);
}

/** Returns the sender of a request, and a signal that aborts when the response is sent or the sender leaves. */
export function senderOf(ctx: Context): Sender {
  const controller = new AbortController();
  whenSent(ctx, () => controller.abort());
  return { client: { id: clientOf(ctx), address: addressOf(ctx.req) }, signal: controller.signal };
}
