/**
 * The wallet store of a generation: derived from its Parquet, which stays the truth. A night fills it beside the replay; it is
 * made again when it is missing or was made of something else.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../schemas/types.generated.js';
import { cacheKey } from '../cache-key/cache-key.js';
import { finishFolder, removeUnfinished, unfinished } from '../disk/atomic-files.js';
import { Database } from '../duckdb/database.js';
import type { Reference } from '../reference.js';
import { coverageOf, type DatasetCoverage } from '../reports/coverage.js';
import { attachStoreTables, fillStore, readMonikers } from './fill-store.js';
import { generationDir, manifestFile, readManifest, storeDir, storesDir, tableFiles } from './generation.js';
import { packEvents, packedFile, walletPieces } from './wallet-pieces.js';
import { WalletStoreWriter } from './wallet-store-writer.js';

/** Where a store says what it was made of. */
const madeOfFile = (store: string) => join(store, 'made-of.key');

/** A hash of all that decides a store's bytes: the manifest, the reviewed data, and the program that writes answers. */
const fingerprint = (generation: string, reference: Reference) =>
  cacheKey([import.meta.filename], [readFileSync(manifestFile(generation), 'utf8'), reference]);

/** Whether stores/<generation> is there and made of that generation by this program. */
function isStoreReady(dataDir: string, generation: string, reference: Reference): boolean {
  const file = madeOfFile(storeDir(dataDir, generation));
  return existsSync(file) && readFileSync(file, 'utf8') === fingerprint(generationDir(dataDir, generation), reference);
}

/** Makes a filled folder the store of a sealed generation; drops it when that store is there already. */
export function placeWalletStore(dataDir: string, generation: string, reference: Reference, folder: string): void {
  if (isStoreReady(dataDir, generation, reference)) {
    rmSync(folder, { recursive: true });
    return;
  }
  const target = storeDir(dataDir, generation);
  writeFileSync(madeOfFile(folder), fingerprint(generationDir(dataDir, generation), reference));
  rmSync(target, { recursive: true, force: true });
  finishFolder(folder, target);
}

/**
 * Sees to it that stores/<generation> is there and made of that generation.
 * @returns whether it had to be built
 */
export async function ensureWalletStore(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  if (isStoreReady(dataDir, generation, reference)) return false;
  removeUnfinished(storesDir(dataDir));
  const folder = unfinished(storeDir(dataDir, generation));
  const source = generationDir(dataDir, generation);
  const manifest = readManifest(source);
  const packed = packedFile(folder);
  try {
    await packGeneration(source, manifest, packed);
    await buildWalletStore(source, manifest, folder, packed, reference);
  } finally {
    rmSync(packed, { force: true });
  }
  placeWalletStore(dataDir, generation, reference, folder);
  return true;
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
