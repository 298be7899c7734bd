/** The wallet stores of a data folder: a night places the one that it filled, a server makes one that is missing or outdated. */
import { mkdirSync, rmSync } from 'node:fs';
import { finishFolder, removeUnfinished, unfinished } from '../disk/atomic-files.js';
import { tryLock, waitForLock } from '../disk/lock.js';
import type { Reference } from '../reference.js';
import { buildFromGeneration } from './build-wallet-store.js';
import { generationDir, storeDir, storesDir } from './generation.js';
import { packedFile } from './wallet-pieces.js';
import { isStoreReady, writeStoreKey } from './wallet-store-key.js';

/**
 * Makes a filled folder the store of a sealed generation; drops it when that store is there already. A server may be building it at the
 * same time: it is waited for then.
 */
export async function placeWalletStore(
  dataDir: string,
  generation: string,
  reference: Reference,
  folder: string,
): Promise<void> {
  const release = await lockWalletStores(dataDir);
  try {
    place(dataDir, generation, reference, folder);
  } finally {
    release();
  }
}

function place(dataDir: string, generation: string, reference: Reference, folder: string): void {
  if (isStoreReady(dataDir, generation, reference)) {
    rmSync(folder, { recursive: true });
    return;
  }
  const target = storeDir(dataDir, generation);
  writeStoreKey(dataDir, generation, reference, folder);
  rmSync(target, { recursive: true, force: true });
  finishFolder(folder, target);
}

/** Of several servers that start on one folder one builds the store, and the others wait for it. */
const lockWalletStores = (dataDir: string) =>
  waitForLock(dataDir, 'wallet-index', 'another process builds a wallet index');

/** Removes what a server left behind that was killed while it built a store, unless another one builds now. */
export async function clearWalletStores(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'wallet-index');
  if ('holder' in attempt) return;
  removeUnfinished(storesDir(dataDir), 'wallet-index');
  attempt.release();
}

/**
 * Sees to it that stores/<generation> is there and made of that generation.
 * @returns whether it had to be built
 */
export async function ensureWalletStore(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  if (isStoreReady(dataDir, generation, reference)) return false;
  const release = await lockWalletStores(dataDir);
  try {
    if (isStoreReady(dataDir, generation, reference)) return false;
    await rebuild(dataDir, generation, reference);
    return true;
  } finally {
    release();
  }
}

/** Builds the store of a sealed generation. This process holds the lock. */
async function rebuild(dataDir: string, generation: string, reference: Reference): Promise<void> {
  mkdirSync(storesDir(dataDir), { recursive: true });
  removeUnfinished(storesDir(dataDir), 'wallet-index');
  const folder = unfinished(storeDir(dataDir, generation), 'wallet-index');
  const packed = packedFile(folder);
  try {
    await buildFromGeneration(generationDir(dataDir, generation), folder, packed, reference);
  } finally {
    rmSync(packed, { force: true });
  }
  place(dataDir, generation, reference, folder);
}
