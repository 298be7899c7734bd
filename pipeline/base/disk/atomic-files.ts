/**
 * Writes files so that a power failure cannot leave a partial file. A file is first written under a temporary name and
 * synced to disk, then renamed.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

export type Maker = 'night' | 'wallet-index';

const prefixOf = (maker: Maker) => `.unfinished-${maker}-`;

export function unfinished(path: string, maker: Maker = 'night'): string {
  return join(dirname(path), `${prefixOf(maker)}${randomBytes(4).toString('hex')}-${basename(path)}`);
}

/** Removes unfinished files of killed processes. The caller must hold the lock named `maker`. */
export function removeUnfinished(folder: string, maker: Maker = 'night'): void {
  for (const name of listFolder(folder)) {
    if (name.startsWith(prefixOf(maker))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function removeFolder(path: string): void {
  if (!existsSync(path)) return;
  const aside = unfinished(path);
  renameSync(path, aside);
  rmSync(aside, { recursive: true });
}

/** Creates a folder and its parents. Node's recursive mkdir would loop forever below a folder such as /proc. */
export function makeFolder(path: string): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isThere()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isThere()) throw error;
  }
}

export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the paths of all files below a folder, relative to the folder. */
export function listTree(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, entry));
  sync(folder);
}

export function finishFolder(from: string, to: string): void {
  syncTree(from);
  renameSync(from, to);
  sync(dirname(to));
}

export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // the file system has no hard links
  }
}

export function replaceFile(path: string, text: string): void {
  const aside = unfinished(path);
  writeFileSync(aside, text);
  sync(aside);
  renameSync(aside, path);
  sync(dirname(path));
}

/** Hashes a file, or its bytes from `start` to `end`. */
export async function fileSha256(path: string, start = 0, end?: number): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { start, ...(end !== undefined && { end }) }), hash);
  return hash.digest('hex');
}
