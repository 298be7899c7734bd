/**
 * The key of a wallet index, which tells what it was made of, and its seal, which tells whether it is as it was made. They are told
 * apart from the making, which needs DuckDB.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../cache-key/cache-key.js';
import {
  damagedFile,
  missizedFile,
  sealedBytes,
  sealFolder,
  wasCompared,
  wasInterrupted,
} from '../disk/sealed-folder.js';
import type { Reference } from '../reference.js';
import { generationDir, manifestFile, walletIndexDir } from './generation.js';

const keyFile = (index: string) => join(index, 'made-of.key');

/** A hash of all that decides an index's bytes: the manifest, the reviewed data, and the program that writes answers. */
function indexKey(dataDir: string, generation: string, reference: Reference): string {
  const program = fileURLToPath(import.meta.resolve('./build-wallet-index.js'));
  return cacheKey([program], [readFileSync(manifestFile(generationDir(dataDir, generation)), 'utf8'), reference]);
}

/**
 * State of an index: `absent`, or made of something else; `damaged`, by the sizes of its files; `unread`, when its hash was not compared
 * since the machine has started; `sound`.
 */
export type IndexState = 'absent' | 'damaged' | 'unread' | 'sound';

/** Looks at stores/<generation> without reading it. */
export function indexState(dataDir: string, generation: string, reference: Reference): IndexState {
  const index = walletIndexDir(dataDir, generation);
  if (!existsSync(keyFile(index))) return existsSync(index) ? 'damaged' : 'absent';
  if (readFileSync(keyFile(index), 'utf8') !== indexKey(dataDir, generation, reference)) return 'absent';
  if (missizedFile(index) !== undefined) return 'damaged';
  return wasCompared(index) ? 'sound' : 'unread';
}

/** Tells whether stores/<generation> is made of that generation by this program, and as it was made: its hash is compared when due. */
export async function isIndexSound(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  const state = indexState(dataDir, generation, reference);
  if (state !== 'unread') return state === 'sound';
  return (await damagedFile(walletIndexDir(dataDir, generation))) === undefined;
}

/** Bytes of an index whose hash is compared in a second or less. */
const QUICK_BYTES = 500_000_000;

/**
 * Tells whether an unread index is to be read before it is served: where that is quick, and where a process ended while it read it,
 * which a damaged one may have done.
 */
export function mustReadFirst(dataDir: string, generation: string): boolean {
  const index = walletIndexDir(dataDir, generation);
  return sealedBytes(index) <= QUICK_BYTES || wasInterrupted(index);
}

/** Gives a filled folder its key and its seal, and makes it the index of a generation. */
export async function placeIndexFolder(
  dataDir: string,
  generation: string,
  reference: Reference,
  folder: string,
): Promise<void> {
  const target = walletIndexDir(dataDir, generation);
  writeFileSync(keyFile(folder), indexKey(dataDir, generation, reference));
  rmSync(join(folder, 'lock.mdb'), { force: true }); // the writer's: every reader has one of its own
  rmSync(target, { recursive: true, force: true });
  await sealFolder(folder, target);
}
