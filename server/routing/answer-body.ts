/** Answers as bodies: whole where their bytes are few, else as a stream that is made while it is read. */
import { createGunzip, gunzipSync } from 'node:zlib';
import { toJson } from '../../pipeline/json/exact-json.js';
import type { Answer, JsonType } from '../endpoint.js';
import { COMPRESSION_THRESHOLD_BYTES, type Coding, compress } from '../http/content-coding.js';
import { inBatches } from '../http/event-loop.js';
import type { Body } from './response-cache.js';

const JSON_TYPE: JsonType = 'application/json; charset=utf-8';

/** Characters of a list that are collected, so that its length is known and it can be kept. */
const WHOLE_MAX_CHARACTERS = 512 * 1024;

/** A body whose bytes are made while it goes out, and their number where that is known. */
export interface StreamedBody {
  readonly type: string;
  readonly source: AsyncIterable<string | Buffer>;
  /** Ends the source, also where nobody has begun to read it. */
  readonly close: () => unknown;
  readonly length?: number;
  readonly fileName?: string | undefined;
}

/** @throws Problem and whatever else the answer's first part throws: its status is not out yet */
export async function bodyOf(answer: Answer): Promise<Body | StreamedBody> {
  if ('json' in answer) return whole(JSON_TYPE, toJson(answer.json));
  if ('text' in answer) return whole(answer.type, answer.text);
  if ('gzip' in answer) return { type: JSON_TYPE, coding: 'gzip', bytes: answer.gzip };
  const { type, fileName } = answer;
  const list = inBatches(answer.chunks);
  let text = '';
  for (let batch = await list.next(); !batch.done; batch = await list.next()) {
    text += batch.value;
    if (text.length > WHOLE_MAX_CHARACTERS) {
      return { type, fileName, source: followedBy(text, list), close: () => list.return() };
    }
  }
  return { ...whole(type, text), fileName };
}

const whole = (type: string, text: string): Body => ({ type, coding: 'identity', bytes: Buffer.from(text) });

async function* followedBy(first: string, rest: AsyncGenerator<string, void>) {
  yield first;
  yield* rest;
}

/** The body in the coding that a client takes; a large one that is stored as gzip is unpacked while it goes out. */
export async function recode(body: Body, coding: Coding): Promise<Body | StreamedBody> {
  if (body.coding === coding) return body;
  if (body.coding === 'identity') {
    if (body.bytes.length < COMPRESSION_THRESHOLD_BYTES) return body;
    return { ...body, coding, bytes: await compress(body.bytes, coding) };
  }
  const length = body.bytes.readUInt32LE(body.bytes.length - 4); // what a gzip member ends with
  if (length > WHOLE_MAX_CHARACTERS) {
    const source = createGunzip();
    source.end(body.bytes);
    return { type: body.type, source, length, close: () => source.destroy() };
  }
  return recode({ ...body, coding: 'identity', bytes: gunzipSync(body.bytes) }, coding);
}
