/** The wallet indexes of a data folder: a night places the one that it filled, a server makes one that is missing or outdated. */
import { mkdirSync, rmSync } from 'node:fs';
import { removeUnfinished, unfinished } from '../disk/atomic-files.js';
import { tryLock, waitForLock } from '../disk/lock.js';
import { damagedFile, isSealed } from '../disk/sealed-folder.js';
import type { Reference } from '../reference.js';
import { buildFromGeneration } from './build-wallet-index.js';
import { generationDir, walletIndexDir, walletIndexesDir } from './generation.js';
import { eventLinesFile } from './wallet-batches.js';
import { isIndexSound, placeIndexFolder } from './wallet-index-key.js';

/**
 * Makes a filled folder the index of a sealed generation; drops it when that index is there already, and sound. A server may be building it at the
 * same time: it is waited for then.
 */
export async function placeWalletIndex(
  dataDir: string,
  generation: string,
  reference: Reference,
  folder: string,
): Promise<void> {
  const release = await lockWalletIndexes(dataDir);
  try {
    if (await isIndexSound(dataDir, generation, reference)) rmSync(folder, { recursive: true });
    else await placeIndexFolder(dataDir, generation, reference, folder);
  } finally {
    release();
  }
}

/** Takes the lock of the indexes: of several servers that start on one folder one builds, and the others wait for it. */
const lockWalletIndexes = (dataDir: string) =>
  waitForLock(dataDir, 'wallet-index', 'another process builds a wallet index');

/** Removes what a server left behind that was killed while it built an index, unless another one builds now. */
export async function clearWalletIndexes(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'wallet-index');
  if ('holder' in attempt) return;
  removeUnfinished(walletIndexesDir(dataDir), 'wallet-index');
  attempt.release();
}

/**
 * Sees to it that stores/<generation> is there, made of that generation, and as it was made.
 * @returns whether it had to be built
 */
export async function ensureWalletIndex(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  if (await isIndexSound(dataDir, generation, reference)) return false;
  const release = await lockWalletIndexes(dataDir);
  try {
    if (await isIndexSound(dataDir, generation, reference)) return false;
    await removeDamaged(walletIndexDir(dataDir, generation));
    await rebuild(dataDir, generation, reference);
    return true;
  } finally {
    release();
  }
}

/** Removes an index that is not as it was made: also where no other can be built, it must not be read. */
async function removeDamaged(index: string): Promise<void> {
  if (isSealed(index) && (await damagedFile(index)) !== undefined) rmSync(index, { recursive: true });
}

/** Builds the index of a sealed generation. This process holds the lock. */
async function rebuild(dataDir: string, generation: string, reference: Reference): Promise<void> {
  mkdirSync(walletIndexesDir(dataDir), { recursive: true });
  removeUnfinished(walletIndexesDir(dataDir), 'wallet-index');
  const folder = unfinished(walletIndexDir(dataDir, generation), 'wallet-index');
  const eventLines = eventLinesFile(folder);
  try {
    await buildFromGeneration(generationDir(dataDir, generation), folder, eventLines, reference);
  } finally {
    rmSync(eventLines, { force: true });
  }
  await placeIndexFolder(dataDir, generation, reference, folder);
}
