/** Opens a wallet index for reading. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { INDEX_OPTIONS } from './events-format.js';

/** An open index: bytes by keys. LMDB tells a key of one part as that part. */
export type WalletIndex = RootDatabase<Buffer, (string | number)[] | string>;

const openEnvironment = (path: string): WalletIndex => open({ path, readOnly: true, ...INDEX_OPTIONS });

/**
 * Opens a wallet index with a list of readers of its own. LMDB keeps that list beside the data, by process ids: two containers whose
 * processes have the same id would take each other's place in it. It is for writers, and a published index has none. So the data
 * is reached by a second name, whose folder is gone as soon as LMDB has opened what is in it.
 */
export function openWalletIndex(folder: string): WalletIndex {
  let own: string;
  try {
    own = mkdtempSync(join(folder, 'reader-'));
  } catch {
    return openEnvironment(folder); // where nothing can be written LMDB does without the list
  }
  try {
    symlinkSync('../data.mdb', join(own, 'data.mdb'));
    return openEnvironment(own);
  } finally {
    rmSync(own, { recursive: true });
  }
}
