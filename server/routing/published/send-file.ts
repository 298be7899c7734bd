/** Sends what is published as bytes, or a part of it: a file of a generation, which never changes under its path, or a text. */
import { open } from 'node:fs/promises';
import type { Context } from '../../context.js';
import { JSON_TYPE } from '../../formats/json.js';
import { CACHE_CONTROL, strongETag } from '../../http/etag.js';
import { Problem } from '../../problem.js';
import { isUnchanged } from '../answer.js';
import { type ByteRange, byteRange } from './byte-range.js';

const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  json: JSON_TYPE,
};

/**
 * Sets status, headers and body. A file that is removed while it goes out is sent to its end: it is open.
 * @param name path that names the content for good, as the generation is part of it
 * @returns false where there is no such file
 * @throws Problem range_not_satisfiable
 */
export async function sendFile(ctx: Context, file: string, name: string): Promise<boolean> {
  const handle = await open(file).catch(noFile);
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]!;
    const part = partOf(ctx, { size, type, etag: strongETag(name), cacheControl: CACHE_CONTROL.immutable });
    if (part && ctx.method !== 'HEAD') ctx.body = handle.createReadStream(part);
    if (part) ctx.length = part.end - part.start + 1;
  } finally {
    if (!ctx.body) await handle.close();
  }
  return true;
}

interface Published {
  readonly size: number;
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
}

/**
 * Sets status and headers of bytes that go out as they are.
 * @returns the bytes to send, undefined where the caller has them
 * @throws Problem range_not_satisfiable
 */
export function partOf(ctx: Context, { size, type, etag, cacheControl }: Published): ByteRange | undefined {
  ctx.compress = false; // readers count bytes
  ctx.set({ 'Accept-Ranges': 'bytes', 'Content-Type': type });
  if (isUnchanged(ctx, etag, cacheControl)) return undefined; // which goes before the range (RFC 9110, 13.2.2)
  const { start, end, isPart } = askedBytes(ctx, size, etag);
  if (isPart) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
  }
  return { start, end };
}

/** Tells which bytes are asked for; the header If-Range makes a part conditional. */
function askedBytes({ req: { headers } }: Context, size: number, etag: string) {
  const condition = headers['if-range'];
  const range = condition === undefined || condition === etag ? byteRange(headers.range, size) : undefined;
  if (range !== 'unsatisfiable') return { start: 0, end: size - 1, ...range, isPart: range !== undefined };
  throw new Problem('range_not_satisfiable', `the file has ${size} bytes`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
