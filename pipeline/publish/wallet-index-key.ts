/**
 * Checks wallet indexes. An index's key identifies the data and the program from which it was built. Hashes detect
 * damage. This code is not in build-wallet-index.ts, so that a check need not load DuckDB.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../base/cache-key/cache-key.js';
import { damagedFile, missizedFile, sealFolder, wasCompared } from '../base/disk/sealed-folder.js';
import type { Reference } from '../reference.js';
import { generationDir, manifestFile, walletIndexDir } from './generation.js';
import { layerFolders } from './wallet-index/open-index.js';

const keyFile = (index: string) => join(index, 'made-of.key');

function indexKey(dataDir: string, generation: string, reference: Reference): string {
  const program = fileURLToPath(import.meta.resolve('./build-wallet-index.js'));
  return cacheKey([program], [readFileSync(manifestFile(generationDir(dataDir, generation)), 'utf8'), reference]);
}

/**
 * `absent`: the index is missing or was built from other data. `damaged`: a file has the wrong size. `unread`: hashes
 * have not been checked since the machine's last boot, or those of a small layer differ.
 */
export type IndexState = 'absent' | 'damaged' | 'unread' | 'sound';

export function indexState(dataDir: string, generation: string, reference: Reference): IndexState {
  const index = walletIndexDir(dataDir, generation);
  if (!existsSync(keyFile(index))) return existsSync(index) ? 'damaged' : 'absent';
  if (readFileSync(keyFile(index), 'utf8') !== indexKey(dataDir, generation, reference)) return 'absent';
  const layers = layerFolders(index);
  if (layers.some((layer) => missizedFile(layer) !== undefined)) return 'damaged';
  return layers.every(wasCompared) ? 'sound' : 'unread';
}

/**
 * Returns true if the index is undamaged. Checks hashes only if they have not been checked since the machine's last
 * boot.
 */
export async function isIndexSound(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  const state = indexState(dataDir, generation, reference);
  if (state !== 'unread') return state === 'sound';
  return (await damagedIndexFile(walletIndexDir(dataDir, generation))) === undefined;
}

/**
 * Returns the path of a damaged file in either layer; undefined if there is none. Mode `again` always checks the
 * hashes.
 */
export async function damagedIndexFile(index: string, mode?: 'again'): Promise<string | undefined> {
  for (const layer of layerFolders(index)) {
    const damaged = await damagedFile(layer, mode);
    if (damaged !== undefined) return join(layer, damaged);
  }
  return undefined;
}

export async function placeIndexFolder(
  dataDir: string,
  generation: string,
  reference: Reference,
  folder: string,
): Promise<void> {
  writeFileSync(keyFile(folder), indexKey(dataDir, generation, reference));
  await sealLayer(folder, walletIndexDir(dataDir, generation));
}

export async function sealLayer(folder: string, target: string): Promise<void> {
  rmSync(join(folder, 'lock.mdb'), { force: true });
  rmSync(target, { recursive: true, force: true });
  await sealFolder(folder, target);
}
