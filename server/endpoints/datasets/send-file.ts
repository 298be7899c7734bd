/** Sends published files, completely or as a byte range. */
import { open } from 'node:fs/promises';
import { isUnchanged } from '../../api/answer.js';
import type { Context } from '../../api/context.js';
import { CACHE_CONTROL, strongETag } from '../../http/etag.js';
import { Problem } from '../../http/problem.js';
import { JSON_TYPE } from '../../tax/formats/json.js';
import { type ByteRange, byteRange } from './byte-range.js';

const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  json: JSON_TYPE,
};

/**
 * Sends a file. If the file is deleted meanwhile, its open handle still works.
 * @param name unique name of the content, for the ETag
 * @returns false if the file does not exist
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
 * @returns the bytes to send; undefined if the status is 304
 * @throws Problem range_not_satisfiable
 */
export function partOf(ctx: Context, { size, type, etag, cacheControl }: Published): ByteRange | undefined {
  ctx.compress = false; // ranges refer to uncompressed bytes
  ctx.set({ 'Accept-Ranges': 'bytes', 'Content-Type': type });
  if (isUnchanged(ctx, etag, cacheControl)) return undefined; // If-None-Match takes precedence over Range (RFC 9110, 13.2.2)
  const { start, end, isPart } = askedBytes(ctx, size, etag);
  if (isPart) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
  }
  return { start, end };
}

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
