/**
 * Reads priced_events wallet by wallet, in batches small enough to hold. DuckDB sorts them into a file of lines, which is read in a
 * third of the time in which the rows would be handed over one by one, and by as many as need them.
 */

import { readLines } from '../disk/lines.js';
import type { Database } from '../duckdb/database.js';

/** A batch: some rows of one wallet, in order. A wallet's batches follow each other. */
export interface WalletBatch {
  readonly address: string;
  /** One text for each row: see wallet-index/events-format.ts. */
  readonly rows: readonly string[];
  /** No further batch of this wallet follows. */
  readonly last: boolean;
}

/** Rows of a batch at the most. */
const BATCH_ROWS_MAX = 2048;

/** The file with the rows of a generation in the making: beside its index, with which it goes when that is never finished. */
export const eventLinesFile = (indexFolder: string) => `${indexFolder}-rows.txt`;

/** Writes the file that walletBatches reads: the rows of priced_events in the order (address, height, position). */
export const writeEventLines = (database: Database, path: string): Promise<void> =>
  database.run('tables/event_lines', { path });

/** Yields every wallet's rows in order. @param path of a file of writeEventLines */
export function* walletBatches(path: string): Generator<WalletBatch> {
  let address = '';
  let rows: string[] = [];
  for (const line of readLines(path)) {
    const cut = line.indexOf('\t');
    const isSame = line.startsWith(address) && cut === address.length;
    if (rows.length > 0 && (!isSame || rows.length === BATCH_ROWS_MAX)) {
      yield { address, rows, last: !isSame };
      rows = [];
    }
    if (!isSame) address = line.slice(0, cut);
    rows.push(line.slice(cut + 1));
  }
  if (rows.length > 0) yield { address, rows, last: true };
}
