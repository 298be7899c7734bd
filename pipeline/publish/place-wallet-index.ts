import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listFolder, removeUnfinished, unfinished } from '../base/disk/atomic-files.js';
import { tryLock, waitForLock } from '../base/disk/lock.js';
import { damagedFile, isSealed } from '../base/disk/sealed-folder.js';
import type { Reference } from '../reference.js';
import { addRestatements, buildBaseLayer, buildOpenLayer, type IndexPlan, planIndex } from './build-wallet-index.js';
import { generationDir, readManifest, walletIndexDir, walletIndexesDir } from './generation.js';
import { isBaseLayer, layerFolders } from './wallet-index/open-index.js';
import { isIndexSound, placeIndexFolder, sealLayer } from './wallet-index-key.js';

/**
 * Moves a finished index to its final path. Deletes it if the generation already has an undamaged index. Waits if a
 * server is building an index.
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

/** Removes unfinished indexes of killed processes. Does nothing if another process is building an index. */
export async function clearWalletIndexes(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'wallet-index');
  if ('holder' in attempt) return;
  removeUnfinished(walletIndexesDir(dataDir), 'wallet-index');
  attempt.release();
}

/**
 * Builds the index of a generation, unless an undamaged index exists.
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

/**
 * Builds the base layers of an index that are missing or damaged. Waits if another process is building an index.
 * @returns the layers' folders
 */
export async function ensureBaseLayers(dataDir: string, plan: IndexPlan): Promise<string[]> {
  const folders = baseFolders(dataDir, plan);
  if ((await damagedFolders(folders)).length === 0) return folders;
  const release = await lockWalletIndexes(dataDir);
  try {
    await buildBase(plan, folders);
    return folders;
  } finally {
    release();
  }
}

const baseFolders = (dataDir: string, { base }: IndexPlan) =>
  base.map(({ name }) => join(walletIndexesDir(dataDir), name));

async function damagedFolders(folders: readonly string[]): Promise<string[]> {
  const damaged: string[] = [];
  for (const folder of folders) if ((await damagedFile(folder)) !== undefined) damaged.push(folder);
  return damaged;
}

/** The caller must hold the lock for building indexes. */
async function buildBase(plan: IndexPlan, folders: readonly string[]): Promise<void> {
  for (const target of await damagedFolders(folders)) {
    const i = folders.indexOf(target);
    const folder = unfinished(target, 'wallet-index');
    try {
      await buildBaseLayer(plan, plan.base[i]!, folder, folders.slice(0, i));
      await sealLayer(folder, target);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Removes base layers that no index uses. Does nothing if another process is building an index, because that index may
 * need an unused base layer.
 */
export async function removeUnusedBaseLayers(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'wallet-index');
  if ('holder' in attempt) return;
  try {
    const folder = walletIndexesDir(dataDir);
    const names = listFolder(folder);
    const used = new Set(
      names
        .filter((name) => !isBaseLayer(name))
        .flatMap((name) => layerFolders(join(folder, name)).map((path) => basename(path))),
    );
    for (const name of names.filter(isBaseLayer)) {
      if (!used.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  } finally {
    attempt.release();
  }
}

/** Removes damaged layers before they are built again. If building fails, nobody can read the damaged layers. */
async function removeDamaged(index: string): Promise<void> {
  for (const layer of layerFolders(index)) {
    if (isSealed(layer) && (await damagedFile(layer)) !== undefined) rmSync(layer, { recursive: true });
  }
}

/** Builds the missing layers. The caller must hold the lock for building indexes. */
async function rebuild(dataDir: string, generation: string, reference: Reference): Promise<void> {
  mkdirSync(walletIndexesDir(dataDir), { recursive: true });
  removeUnfinished(walletIndexesDir(dataDir), 'wallet-index');
  const source = generationDir(dataDir, generation);
  const manifest = readManifest(source);
  const folder = unfinished(walletIndexDir(dataDir, generation), 'wallet-index');
  const plan = await planIndex({ folder: source, manifest, reference }, `${folder}-spill`);
  const base = baseFolders(dataDir, plan);
  await buildBase(plan, base);
  if (await isIndexSound(dataDir, generation, reference)) return;
  await buildOpenLayer(plan, folder, base);
  await addRestatements(source, manifest, folder);
  await placeIndexFolder(dataDir, generation, reference, folder);
}
