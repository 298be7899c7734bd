/**
 * The wallet store of a generation, derived from its Parquet: that stays the truth. This module decides every byte of the store, so
 * that its closure is in the store's key.
 */
import { mkdirSync } from 'node:fs';
import type { Manifest } from '../../schemas/types.generated.js';
import { Database } from '../duckdb/database.js';
import type { Reference } from '../reference.js';
import { coverageOf, type DatasetCoverage } from '../reports/coverage.js';
import { attachStoreTables, fillStore, readMonikers } from './fill-store.js';
import { readManifest, tableFiles } from './generation.js';
import { packEvents, walletPieces } from './wallet-pieces.js';
import { WalletStoreWriter } from './wallet-store-writer.js';

/** Fills `folder` from a sealed generation's folder. @param packed where its rows lie meanwhile */
export async function buildFromGeneration(
  source: string,
  folder: string,
  packed: string,
  reference: Reference,
): Promise<void> {
  const manifest = readManifest(source);
  const database = await Database.open();
  try {
    await database.attach('priced_events', tableFiles(source, manifest, 'priced_events'));
    await packEvents(database, packed);
  } finally {
    database.close();
  }
  await buildWalletStore(source, manifest, folder, packed, reference);
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
