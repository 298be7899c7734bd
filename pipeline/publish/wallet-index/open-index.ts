import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { INDEX_OPTIONS } from './events-format.js';

/** LMDB returns a key with a single part as a plain string instead of an array. */
export type WalletIndex = RootDatabase<Buffer, (string | number)[] | string>;

const openEnvironment = (path: string): WalletIndex => open({ path, readOnly: true, ...INDEX_OPTIONS });

export const LAYERS_FILE = 'layers.txt';

const layersFile = (index: string) => join(index, LAYERS_FILE);

/** Records the names of an index's base layers, in order of time. */
export const nameLayers = (index: string, names: readonly string[]): void =>
  writeFileSync(layersFile(index), names.join('\n'));

export const isBaseLayer = (name: string): boolean => /^base-[0-9a-f]+$/.test(name);

/**
 * Returns the folders of an index's layers: first the base layers in order of time, then the open layer. If the index
 * does not name its base layers, as in older versions, returns a folder that does not exist for them. Opening
 * the index then fails.
 */
export function layerFolders(index: string): readonly [...base: string[], open: string] {
  let names = ['unknown'];
  try {
    names = readFileSync(layersFile(index), 'utf8').split('\n').filter(Boolean);
  } catch {}
  return [...names.map((name) => join(dirname(index), isBaseLayer(name) ? name : 'base-unknown')), index];
}

const READERS_BYTES = 16_384;

/**
 * Creates LMDB's reader table as a file without gaps. LMDB itself would create a sparse file, and a full disk would
 * then crash the process.
 */
export const makeReaders = (folder: string): void =>
  writeFileSync(join(folder, 'lock.mdb'), Buffer.alloc(READERS_BYTES));

/**
 * Opens a wallet index with its own reader table. LMDB identifies readers by process id, and processes in two
 * containers may have the same id.
 */
export function openWalletIndex(folder: string): WalletIndex {
  for (const place of [folder, tmpdir()]) {
    const readerFolder = makeReaderFolder(place, folder);
    if (readerFolder === undefined) continue;
    try {
      return openEnvironment(readerFolder);
    } finally {
      rmSync(readerFolder, { recursive: true });
    }
  }
  return openEnvironment(folder);
}

function makeReaderFolder(place: string, folder: string): string | undefined {
  let readerFolder: string | undefined;
  try {
    readerFolder = mkdtempSync(join(place, 'reader-'));
    symlinkSync(resolve(folder, 'data.mdb'), join(readerFolder, 'data.mdb'));
    makeReaders(readerFolder);
    return readerFolder;
  } catch {
    if (readerFolder !== undefined) rmSync(readerFolder, { recursive: true, force: true });
    return undefined;
  }
}
