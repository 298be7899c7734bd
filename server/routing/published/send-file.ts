/** Sends a file of a generation, or a part of it: it never changes under its path, so that whoever has it may keep it. */
import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import fresh from 'fresh';
import type { Context } from '../../context.js';
import { CACHE_CONTROL } from '../../http/etag.js';
import { Problem } from '../../problem.js';
import { byteRange } from './byte-range.js';

const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  json: 'application/json; charset=utf-8',
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
    const etag = `"${hash('sha256', name, 'hex').slice(0, 32)}"`;
    const { start, end, isPart } = askedBytes(ctx, size, etag);
    ctx.status = isPart ? 206 : 200;
    ctx.compress = false; // readers count bytes
    ctx.set({ ETag: etag, 'Cache-Control': CACHE_CONTROL.immutable, 'Accept-Ranges': 'bytes' });
    ctx.set('Content-Type', TYPES[name.slice(name.lastIndexOf('.') + 1)]!);
    if (isPart) ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
    if (isKnown(ctx, etag)) ctx.status = 304;
    else sendBytes(ctx, handle, start, end);
  } finally {
    if (!ctx.body) await handle.close();
  }
  return true;
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

function isKnown({ req: { headers } }: Context, etag: string): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && fresh({ 'if-none-match': known }, { etag });
}

function sendBytes(ctx: Context, handle: FileHandle, start: number, end: number): void {
  if (ctx.method !== 'HEAD') ctx.body = handle.createReadStream({ start, end });
  ctx.length = end - start + 1;
}

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
