/** Opens a wallet index for reading. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { INDEX_OPTIONS } from './events-format.js';

/** An open index: bytes by keys. LMDB tells a key of one part as that part. */
export type WalletIndex = RootDatabase<Buffer, (string | number)[] | string>;

const openEnvironment = (path: string): WalletIndex => open({ path, readOnly: true, ...INDEX_OPTIONS });

/** Bytes of LMDB's list of readers; it needs half of them. */
const READERS_BYTES = 16_384;

/**
 * Makes the file of LMDB's list of readers in a folder that has none, with its room on disk: LMDB maps a file without, and where the disk
 * is full, the process would die at the first look into it.
 * @throws Error where there is no room
 */
export const makeReaders = (folder: string): void =>
  writeFileSync(join(folder, 'lock.mdb'), Buffer.alloc(READERS_BYTES));

/**
 * Opens a wallet index with a list of readers of its own. LMDB keeps that list beside the data, by process ids: two containers whose
 * processes have the same id would take each other's place in it. It is for writers, and a published index has none. So the data
 * is reached by a second name, whose folder is gone as soon as LMDB has opened what is in it.
 */
export function openWalletIndex(folder: string): WalletIndex {
  for (const place of [folder, tmpdir()]) {
    const own = makeOwnFolder(place, folder);
    if (own === undefined) continue;
    try {
      return openEnvironment(own);
    } finally {
      rmSync(own, { recursive: true });
    }
  }
  return openEnvironment(folder); // where nothing can be written LMDB does without the list
}

/** Makes a folder with a second name of the data and a list of readers; undefined where there is no room, or no right. */
function makeOwnFolder(place: string, folder: string): string | undefined {
  let own: string | undefined;
  try {
    own = mkdtempSync(join(place, 'reader-'));
    symlinkSync(resolve(folder, 'data.mdb'), join(own, 'data.mdb'));
    makeReaders(own);
    return own;
  } catch {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
    return undefined;
  }
}
