/** Serializes and compresses answers, and sets the headers that describe a body. */

import { randomUUID } from 'node:crypto';
import { closeSync, createReadStream, createWriteStream, fstatSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { CACHE_CONTROL, isKnown } from '../http/etag.js';
import { LIMITS } from '../http/limits.js';
import { JSON_TYPE } from '../tax/formats/json.js';
import type { Coding, Context } from './context.js';
import { BROTLI_OPTIONS, COMPRESSION_THRESHOLD_BYTES, GZIP_LEVEL } from './middleware/compress.js';

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

/** A long body in a temporary file that has no name. Whoever receives it must close `fd`. */
export interface Spooled extends Described {
  readonly coding: Coding;
  readonly fd: number;
  readonly length: number;
}

/** A list that is too long for one buffer. It is serialized while it is read. */
export interface LongList extends Described {
  readonly texts: Iterable<string>;
}

/** Serializes an answer. For a long list, reads only its beginning. */
export function bodyOf(answer: Answer): Body | LongList {
  if ('json' in answer) return whole(JSON_TYPE, toJson(answer.json));
  if ('text' in answer) return whole(answer.type, answer.text);
  if ('bytes' in answer) return { ...answer, coding: 'identity', coverage: coverageHeader(answer.coverage) };
  const { type, fileName, parts } = answer;
  const described = { type, fileName, coverage: coverageHeader(answer.coverage), parts };
  const chunks = answer.chunks[Symbol.iterator]();
  let text = '';
  for (let next = chunks.next(); !next.done; next = chunks.next()) {
    text += next.value;
    if (text.length > WHOLE_MAX_CHARACTERS) return { ...described, texts: followedBy(text, chunks) };
  }
  return { ...whole(type, text), ...described };
}

function* followedBy(first: string, rest: Iterator<string>): Generator<string, void, undefined> {
  yield first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}

export function wholeOf(answer: Answer): Body {
  const body = bodyOf(answer);
  if (!('texts' in body)) return body;
  const { texts, ...described } = body;
  return { ...described, coding: 'identity', bytes: Buffer.from([...texts].join('')) };
}

/**
 * Writes a list to a compressed temporary file. The file has no name in the file system, so it disappears when the
 * process ends.
 */
export async function spool({ texts, ...described }: LongList, coding: Coding, signal?: AbortSignal): Promise<Spooled> {
  const name = join(tmpdir(), `hubledger-${randomUUID()}`);
  const fd = openSync(name, 'wx+', 0o600);
  unlinkSync(name);
  try {
    const file = createWriteStream('', { fd, autoClose: false });
    await pipeline(Readable.from(texts, { objectMode: false }), encoder(coding), file, { ...(signal && { signal }) });
    return { ...described, coding, fd, length: fstatSync(fd).size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
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

export async function recode(body: Body, coding: Coding, toGzip: ToGzip = gzipQuickly): Promise<Body> {
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
const FEW_CHUNK_BYTES = 2040;
const FOR_FEW_BYTES = { ...USUAL, memLevel: 5, windowBits: 13, chunkSize: FEW_CHUNK_BYTES } as const;

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
  ctx.set({ ETag: etag, 'Cache-Control': ctx.state.caller ? CACHE_CONTROL.private : cacheControl });
  if (!isKnown(ctx.req.headers['if-none-match'], etag)) return false;
  ctx.status = 304;
  return true;
}

/** Lists unknown parameters in a response header (decision R3). */
export function tellIgnored(ctx: Context, ignored: readonly string[]): void {
  if (ignored.length > 0) ctx.set('X-Ignored-Parameters', ignored.map(encodeURIComponent).join(', '));
}

export function respond(ctx: Context, body: Body | Spooled): void {
  ctx.set('Content-Type', body.type);
  if (body.fileName !== undefined) ctx.set('Content-Disposition', `attachment; filename="${body.fileName}"`);
  if (body.coverage !== undefined) ctx.set('X-Coverage', body.coverage);
  if (body.parts !== undefined) ctx.set('X-Parts', String(body.parts));
  if (body.coding !== 'identity') ctx.set('Content-Encoding', body.coding);
  else if (!('bytes' in body)) ctx.compress = false; // koa-compress must not compress, because negotiation has chosen no compression
  if ('bytes' in body) {
    const { buffer, byteOffset, length } = body.bytes;
    ctx.body = Buffer.isBuffer(body.bytes) ? body.bytes : Buffer.from(buffer, byteOffset, length);
    return;
  }
  ctx.body = createReadStream('', { fd: body.fd, start: 0 });
  ctx.length = body.length;
}

export function whenSent({ res }: Context, done: () => void): void {
  if (res.closed) done();
  else res.once('close', done);
}
