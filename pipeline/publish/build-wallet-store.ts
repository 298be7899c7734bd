/**
 * The wallet store of a generation: derived from its Parquet, which stays the truth. A night fills it beside the replay; it is
 * made again when it is missing or was made of something else.
 */
import { mkdirSync, rmSync } from 'node:fs';
import type { Manifest } from '../../schemas/types.generated.js';
import { finishFolder, removeUnfinished, unfinished } from '../disk/atomic-files.js';
import { tryLock, waitForLock } from '../disk/lock.js';
import { Database } from '../duckdb/database.js';
import type { Reference } from '../reference.js';
import { coverageOf, type DatasetCoverage } from '../reports/coverage.js';
import { attachStoreTables, fillStore, readMonikers } from './fill-store.js';
import { generationDir, readManifest, storeDir, storesDir, tableFiles } from './generation.js';
import { packEvents, packedFile, walletPieces } from './wallet-pieces.js';
import { isStoreReady, writeStoreKey } from './wallet-store-key.js';
import { WalletStoreWriter } from './wallet-store-writer.js';

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
  const source = generationDir(dataDir, generation);
  const manifest = readManifest(source);
  const packed = packedFile(folder);
  try {
    await packGeneration(source, manifest, packed);
    await buildWalletStore(source, manifest, folder, packed, reference);
  } finally {
    rmSync(packed, { force: true });
  }
  place(dataDir, generation, reference, folder);
}

async function packGeneration(source: string, manifest: Manifest, path: string): Promise<void> {
  const database = await Database.open();
  try {
    await database.attach('priced_events', tableFiles(source, manifest, 'priced_events'));
    await packEvents(database, path);
  } finally {
    database.close();
  }
}

/**
 * Fills `folder` from the Parquet of a generation's folder, also of one in the making.
 * @param packed its rows as packEvents writes them
 * @param onRows hears of the wallets' rows as they go in
 */
export async function buildWalletStore(
  source: string,
  manifest: DatasetCoverage & Pick<Manifest, 'tables'>,
  folder: string,
  packed: string,
  { rules }: Reference,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const database = await Database.open({ threads: 1 }); // beside the replay's
  let writer: WalletStoreWriter | undefined;
  try {
    await attachStoreTables(database, source, manifest);
    const monikers = await readMonikers(database);
    const context = { rules, monikerOf: (operator: string) => monikers.get(operator) ?? '' };
    writer = new WalletStoreWriter(folder, context, coverageOf(manifest));
    await fillStore(writer, database, manifest, rules.nativeDenom);
    for (const piece of walletPieces(packed)) {
      await writer.add(piece);
      onRows(piece.packed.length);
    }
  } finally {
    await writer?.close();
    database.close();
  }
}
