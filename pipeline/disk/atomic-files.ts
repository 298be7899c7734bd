/** Files that survive a power cut: written aside, synced, renamed. */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The lock whose holder makes a thing. */
export type Maker = 'night' | 'wallet-index';

const prefixOf = (maker: Maker) => `.unfinished-${maker}-`;

/** A new name beside `path` for making it. @param maker the lock that this process holds meanwhile */
export function unfinished(path: string, maker: Maker = 'night'): string {
  return join(dirname(path), `${prefixOf(maker)}${randomBytes(4).toString('hex')}-${basename(path)}`);
}

/**
 * Removes from a folder what a killed holder of the lock left behind. What holders of other locks are making stays.
 * @param maker a lock that this process holds: nobody else is making anything under it
 */
export function removeUnfinished(folder: string, maker: Maker = 'night'): void {
  for (const name of listFolder(folder)) {
    if (name.startsWith(prefixOf(maker))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Removes a folder, if it is there, whole or not at all: it loses its name first. */
export function removeFolder(path: string): void {
  if (!existsSync(path)) return;
  const aside = unfinished(path);
  renameSync(path, aside);
  rmSync(aside, { recursive: true });
}

/** Makes a folder and those above it. Node.js's own way never ends where the system lets nobody make one, as below /proc. */
export function makeFolder(path: string): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isThere()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isThere()) throw error; // else another process was faster
  }
}

/** Names in a folder, sorted; none when there is no such folder. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Brings a file, or the names in a folder, to disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Brings every file and folder of a tree to disk. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, entry));
  sync(folder);
}

/** Syncs a tree, then gives it its name. A reader sees the whole of it or nothing. */
export function finishFolder(from: string, to: string): void {
  syncTree(from);
  renameSync(from, to);
  sync(dirname(to));
}

/** Replaces a small file whole. */
export function replaceFile(path: string, text: string): void {
  const aside = unfinished(path);
  writeFileSync(aside, text);
  sync(aside);
  renameSync(aside, path);
  sync(dirname(path));
}

/** SHA-256 of a file, in lower-case hex. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
