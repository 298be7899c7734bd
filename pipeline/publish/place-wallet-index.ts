import { mkdirSync, rmSync } from 'node:fs';
import { removeUnfinished, unfinished } from '../base/disk/atomic-files.js';
import { tryLock, waitForLock } from '../base/disk/lock.js';
import { damagedFile, isSealed } from '../base/disk/sealed-folder.js';
import type { Reference } from '../reference.js';
import { buildFromGeneration } from './build-wallet-index.js';
import { generationDir, walletIndexDir, walletIndexesDir } from './generation.js';
import { eventLinesFile } from './wallet-batches.js';
import { isIndexSound, placeIndexFolder } from './wallet-index-key.js';

/**
 * Moves a finished index into place, or deletes it if the generation already has a sound index. Waits if a server is
 * building an index.
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

const lockWalletIndexes = (dataDir: string) =>
  waitForLock(dataDir, 'wallet-index', 'another process builds a wallet index');

/** Removes unfinished indexes of killed processes, unless another process is building an index. */
export async function clearWalletIndexes(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'wallet-index');
  if ('holder' in attempt) return;
  removeUnfinished(walletIndexesDir(dataDir), 'wallet-index');
  attempt.release();
}

/**
 * Builds the index of a generation, unless it already has a sound one.
 * @returns true if the index was built
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

async function removeDamaged(index: string): Promise<void> {
  if (isSealed(index) && (await damagedFile(index)) !== undefined) rmSync(index, { recursive: true });
}

/** Builds the index again. The caller must hold the lock. */
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
