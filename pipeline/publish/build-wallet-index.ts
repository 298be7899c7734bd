/**
 * The wallet index of a generation, derived from its Parquet: that stays the truth. This module decides every byte of the index, so
 * that its closure is in the index's key.
 */
import type { Manifest } from '../../schemas/types.generated.js';
import { Database } from '../duckdb/database.js';
import type { Reference } from '../reference.js';
import { attachIndexTables, fillWalletIndex, readMonikers } from './fill-wallet-index.js';
import { readManifest, tableFiles } from './generation.js';
import { attachOpeningHoldings } from './opening-holdings.js';
import { walletBatches, writeEventLines } from './wallet-batches.js';
import { WalletIndexWriter } from './wallet-index-writer.js';

/**
 * Fills `folder` from a sealed generation's folder.
 * @param eventLines path at which its rows lie meanwhile
 * @param wallets number of wallets whose rows go in; all of them when not given
 */
export async function buildFromGeneration(
  source: string,
  folder: string,
  eventLines: string,
  reference: Reference,
  wallets?: number,
): Promise<void> {
  const manifest = readManifest(source);
  const database = await Database.open(`${folder}-spill`);
  try {
    const events = tableFiles(source, manifest, 'priced_events');
    const rows = wallets === undefined ? 'priced_events' : 'all_events';
    await database.attach('priced_events', events, rows);
    await attachOpeningHoldings(database, source, manifest, reference, rows);
    if (wallets !== undefined) await database.run('tables/sample_wallets', { wallets });
    await writeEventLines(database, eventLines);
  } finally {
    database.close();
  }
  await buildWalletIndex(source, manifest, folder, eventLines, reference);
}

/**
 * Fills `folder` from the Parquet of a generation's folder, also of one in the making.
 * @param eventLines path of its rows, as writeEventLines writes them
 * @param onRows hears of the wallets' rows as they go in
 */
export async function buildWalletIndex(
  source: string,
  manifest: Pick<Manifest, 'tables'>,
  folder: string,
  eventLines: string,
  { rules }: Reference,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  const database = await Database.open(`${folder}-spill`, { threads: 1, memoryLimit: '300MB' }); // beside the replay's
  try {
    await attachIndexTables(database, source, manifest);
    const monikers = await readMonikers(database);
    const context = { rules, monikerOf: (operator: string) => monikers.get(operator) ?? '' };
    const writer = new WalletIndexWriter(folder, context);
    try {
      await fillWalletIndex(writer, database, manifest, rules.nativeDenom);
      for (const batch of walletBatches(eventLines)) {
        await writer.add(batch);
        onRows(batch.rows.length);
      }
    } finally {
      await writer.close();
    }
  } finally {
    database.close();
  }
}
