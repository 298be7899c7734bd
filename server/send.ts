/** Writes an Answer: content coding, length, streams with backpressure. HEAD gets the headers of GET. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip, createGzip, gunzipSync } from 'node:zlib';
import { toJson } from '../pipeline/ledger/exact-json.js';
import type { Context } from './context.js';
import { chooseCoding, type EncodedBody, encodeOnce, type PrecompressedBody } from './encodings.js';
import type { Answer, JsonType } from './endpoint.js';

const JSON_TYPE: JsonType = 'application/json; charset=utf-8';

/** Stored members that unpack to more than this are unpacked as a stream. */
const UNPACK_AT_ONCE = 256 * 1024;
/** Text that is collected before it is handed on. */
const PIECE = 32 * 1024;
/** Longest time that one answer may keep the others waiting. */
const TURN_MS = 10;

type Streamed = Extract<Answer, { chunks: unknown }>;

/** An answer that is made at once. */
export type Whole = Extract<Answer, { json: unknown } | { text: string }>;

export const contentType = (answer: Whole) => ('json' in answer ? JSON_TYPE : answer.type);
export const bytesOf = (answer: Whole) => Buffer.from('json' in answer ? toJson(answer.json) : answer.text);

/** Writes status 200 and the answer; resolves when all of it is handed to the socket. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  if ('gzip' in answer) return sendStored(ctx, answer.gzip);
  if ('chunks' in answer) return sendStream(ctx, answer);
  sendEncoded(ctx, contentType(answer), await encodeOnce(bytesOf(answer), ctx.req.headers['accept-encoding']));
}

/** A body that was packed once for all. */
export function sendPrecompressed(ctx: Context, type: string, body: PrecompressedBody): void {
  sendEncoded(ctx, type, body.for(ctx.req.headers['accept-encoding']));
}

function sendEncoded(ctx: Context, type: string, { coding, body }: EncodedBody): void {
  const { res, state } = ctx;
  res.statusCode = 200;
  res.setHeader('Content-Type', type);
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
  res.setHeader('Content-Length', body.length);
  state.bytes = body.length;
  // Node itself leaves the body out for HEAD.
  res.end(body);
}

/** A gzip member goes out as it lies, or unpacked where gzip is not taken. Its last four bytes are the unpacked length. */
function sendStored(ctx: Context, member: Buffer): void | Promise<void> {
  if (chooseCoding(ctx.req.headers['accept-encoding'], ['gzip', 'identity']) === 'gzip') {
    return sendEncoded(ctx, JSON_TYPE, { coding: 'gzip', body: member });
  }
  const length = member.readUInt32LE(member.length - 4);
  if (length <= UNPACK_AT_ONCE) return sendEncoded(ctx, JSON_TYPE, { coding: 'identity', body: gunzipSync(member) });
  ctx.res.statusCode = 200;
  ctx.res.setHeader('Content-Type', JSON_TYPE);
  ctx.res.setHeader('Content-Length', length);
  ctx.state.bytes = length;
  if (ctx.req.method === 'HEAD') return void ctx.res.end();
  return stream(ctx, [member], createGunzip());
}

async function sendStream(ctx: Context, { chunks, type, fileName }: Streamed): Promise<void> {
  const pieces = inPieces(chunks);
  // The first piece is made before the status goes out: what fails at once is still a proper problem.
  const first = await pieces.next();
  const { res } = ctx;
  res.statusCode = 200;
  res.setHeader('Content-Type', type);
  if (fileName) res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  const packed = chooseCoding(ctx.req.headers['accept-encoding'], ['gzip', 'identity']) === 'gzip';
  if (packed) res.setHeader('Content-Encoding', 'gzip');
  if (ctx.req.method === 'HEAD') {
    await pieces.return();
    res.end();
    return;
  }
  await stream(ctx, counted(ctx, first, pieces), packed ? createGzip() : undefined);
}

async function* counted(ctx: Context, first: IteratorResult<Buffer, void>, rest: AsyncGenerator<Buffer, void>) {
  if (first.done) return;
  ctx.state.bytes += first.value.length;
  yield first.value;
  for await (const piece of rest) {
    ctx.state.bytes += piece.length;
    yield piece;
  }
}

async function stream(
  ctx: Context,
  source: Iterable<Buffer> | AsyncGenerator<Buffer>,
  transform: NodeJS.ReadWriteStream | undefined,
): Promise<void> {
  const readable = Readable.from(source, { objectMode: false });
  await (transform ? pipeline(readable, transform, ctx.res) : pipeline(readable, ctx.res));
}

/** Joins small chunks, and gives other requests their turn: a source that is never waited for would hold the event loop. */
async function* inPieces(chunks: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  let text = '';
  let turnBegan = performance.now();
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length >= PIECE) {
      yield Buffer.from(text);
      text = '';
    }
    if (performance.now() - turnBegan > TURN_MS) {
      await nextTurn();
      turnBegan = performance.now();
    }
  }
  if (text !== '') yield Buffer.from(text);
}
