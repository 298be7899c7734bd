/**
 * Checks wallet indexes: the key identifies the sources, the seal detects damage. Separate from the building, so that a
 * check does not load DuckDB.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../base/cache-key/cache-key.js';
import { damagedFile, missizedFile, sealFolder, wasCompared } from '../base/disk/sealed-folder.js';
import type { Reference } from '../reference.js';
import { generationDir, manifestFile, walletIndexDir } from './generation.js';

const keyFile = (index: string) => join(index, 'made-of.key');

/** Hashes everything that decides an index's bytes: manifest, reviewed data and code. */
function indexKey(dataDir: string, generation: string, reference: Reference): string {
  const program = fileURLToPath(import.meta.resolve('./build-wallet-index.js'));
  return cacheKey([program], [readFileSync(manifestFile(generationDir(dataDir, generation)), 'utf8'), reference]);
}

/**
 * `absent`: missing or of other sources. `damaged`: wrong file sizes. `unread`: hashes were not checked since the last
 * boot.
 */
export type IndexState = 'absent' | 'damaged' | 'unread' | 'sound';

export function indexState(dataDir: string, generation: string, reference: Reference): IndexState {
  const index = walletIndexDir(dataDir, generation);
  if (!existsSync(keyFile(index))) return existsSync(index) ? 'damaged' : 'absent';
  if (readFileSync(keyFile(index), 'utf8') !== indexKey(dataDir, generation, reference)) return 'absent';
  if (missizedFile(index) !== undefined) return 'damaged';
  return wasCompared(index) ? 'sound' : 'unread';
}

/** Checks that stores/<generation> is up to date and undamaged. Checks hashes if due. */
export async function isIndexSound(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  const state = indexState(dataDir, generation, reference);
  if (state !== 'unread') return state === 'sound';
  return (await damagedFile(walletIndexDir(dataDir, generation))) === undefined;
}

export async function placeIndexFolder(
  dataDir: string,
  generation: string,
  reference: Reference,
  folder: string,
): Promise<void> {
  const target = walletIndexDir(dataDir, generation);
  writeFileSync(keyFile(folder), indexKey(dataDir, generation, reference));
  rmSync(join(folder, 'lock.mdb'), { force: true }); // the writer's; readers create their own
  rmSync(target, { recursive: true, force: true });
  await sealFolder(folder, target);
}
