/** Sends a file of a generation, or a part of it: it never changes under its path, so that whoever has it may keep it. */
import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Context } from '../../context.js';
import { JSON_TYPE } from '../../formats/json.js';
import { CACHE_CONTROL } from '../../http/etag.js';
import { Problem } from '../../problem.js';
import { isUnchanged } from '../answer.js';
import { byteRange } from './byte-range.js';

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
    const etag = `"${hash('sha256', name, 'hex').slice(0, 32)}"`;
    const { start, end, isPart } = askedBytes(ctx, size, etag);
    ctx.compress = false; // readers count bytes
    ctx.set({ 'Accept-Ranges': 'bytes', 'Content-Type': TYPES[name.slice(name.lastIndexOf('.') + 1)]! });
    if (isUnchanged(ctx, etag, CACHE_CONTROL.immutable)) return true;
    if (isPart) {
      ctx.status = 206;
      ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
    }
    if (ctx.method !== 'HEAD') ctx.body = handle.createReadStream({ start, end });
    ctx.length = end - start + 1;
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

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
