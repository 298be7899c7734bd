/** Writes an Answer: content coding, length, streams with backpressure. HEAD gets the headers of GET. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import { toJson } from '../pipeline/json/exact-json.js';
import type { Context } from './context.js';
import {
  type Coding,
  codingOnTheFly,
  type EncodedBody,
  encodeOnce,
  encodeParts,
  encodingStreams,
} from './encodings.js';
import type { Answer, JsonType } from './endpoint.js';
import { textOfParts } from './gzip-member.js';
import { beginReply, type HeaderList, reply } from './reply.js';
import type { SingleBody } from './single-bodies.js';

const JSON_TYPE: JsonType = 'application/json; charset=utf-8';

/** Stored members that unpack to more than this are unpacked as a stream. */
const UNPACK_AT_ONCE = 256 * 1024;
/** Text that is collected before it is handed on. */
const PIECE = 32 * 1024;
/** Longest time that one answer may keep the others waiting. */
const TURN_MS = 10;

type Streamed = Extract<Answer, { chunks: unknown }>;

/** An answer whose text is at hand. */
export type Whole = Extract<Answer, { json: unknown } | { text: string } | { parts: unknown }>;

/** A whole answer as it goes out. */
export interface Packed extends EncodedBody {
  readonly type: string;
}

export const isWhole = (answer: Answer): answer is Whole => 'json' in answer || 'text' in answer || 'parts' in answer;
export const contentType = (answer: Whole) => ('json' in answer ? JSON_TYPE : answer.type);

export function textOf(answer: Whole): string {
  if ('parts' in answer) return textOfParts(answer.parts);
  return 'json' in answer ? toJson(answer.json) : answer.text;
}

/**
 * Answers with status 200; resolves when all of it is handed to the socket.
 * @param headers beside those that say how the body is written
 */
export async function send(ctx: Context, answer: Answer, headers: HeaderList): Promise<void> {
  const packed = await pack(answer, ctx.req.headers['accept-encoding']);
  if (packed) return sendPacked(ctx, packed, headers);
  if ('gzip' in answer) return unpackAndSend(ctx, answer.gzip, headers);
  if ('chunks' in answer) return sendStream(ctx, answer, headers);
}

/** As packWhole; undefined for an answer that goes out as it is made or unpacked. */
export async function pack(answer: Answer, acceptEncoding: string | undefined): Promise<Packed | undefined> {
  if ('chunks' in answer) return undefined;
  return 'gzip' in answer ? packStored(answer.gzip, acceptEncoding) : packWhole(answer, acceptEncoding);
}

/** Packs an answer for a client that takes these codings. */
export async function packWhole(answer: Whole, acceptEncoding: string | undefined): Promise<Packed> {
  const type = contentType(answer);
  const member = 'parts' in answer ? encodeParts(answer.parts, acceptEncoding) : undefined;
  return { type, ...(member ?? (await encodeOnce(textOf(answer), acceptEncoding))) };
}

/** A gzip member as it lies; a small one is unpacked where gzip is not wanted. */
async function packStored(member: Buffer, acceptEncoding: string | undefined): Promise<Packed | undefined> {
  if (codingOnTheFly(acceptEncoding) === 'gzip') return { type: JSON_TYPE, coding: 'gzip', body: member };
  if (unpackedLength(member) > UNPACK_AT_ONCE) return undefined;
  return { type: JSON_TYPE, ...(await encodeOnce(gunzipSync(member), acceptEncoding)) };
}

/** What the last four bytes of a gzip member say. */
const unpackedLength = (member: Buffer) => member.readUInt32LE(member.length - 4);

/** A body that was packed once for all. */
export function sendSingle(ctx: Context, { type, body }: SingleBody, headers: HeaderList): void {
  sendPacked(ctx, { type, ...body.for(ctx.req.headers['accept-encoding']) }, headers);
}

/** How a body is written. */
function form(type: string, coding: Coding, length?: number): HeaderList {
  const list = ['Content-Type', type];
  if (coding !== 'identity') list.push('Content-Encoding', coding);
  if (length !== undefined) list.push('Content-Length', String(length));
  return list;
}

export function sendPacked(ctx: Context, { type, coding, body }: Packed, headers: HeaderList, status = 200): void {
  ctx.state.bytes = body.length;
  reply(ctx, status, [...headers, ...form(type, coding, body.length)], body);
}

async function unpackAndSend(ctx: Context, member: Buffer, headers: HeaderList): Promise<void> {
  const coding = codingOnTheFly(ctx.req.headers['accept-encoding']);
  const length = unpackedLength(member);
  ctx.state.bytes = length;
  beginReply(ctx, 200, [...headers, ...form(JSON_TYPE, coding, coding === 'identity' ? length : undefined)]);
  if (ctx.req.method === 'HEAD') ctx.res.end();
  else await stream(ctx, [member], [createGunzip(), ...encodingStreams(coding)]);
}

async function sendStream(ctx: Context, { chunks, type, fileName }: Streamed, headers: HeaderList): Promise<void> {
  const pieces = inPieces(chunks);
  // The first piece is made before the status goes out: what fails at once is still a proper problem.
  const first = await pieces.next();
  const coding = codingOnTheFly(ctx.req.headers['accept-encoding']);
  const disposition = fileName ? ['Content-Disposition', `attachment; filename="${fileName}"`] : [];
  beginReply(ctx, 200, [...headers, ...form(type, coding), ...disposition]);
  if (ctx.req.method === 'HEAD') {
    await pieces.return();
    ctx.res.end();
    return;
  }
  await stream(ctx, counted(ctx, first, pieces), encodingStreams(coding));
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
  transforms: readonly NodeJS.ReadWriteStream[],
): Promise<void> {
  const readable = Readable.from(source, { objectMode: false });
  await pipeline([readable, ...transforms, ctx.res]);
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
