/**
 * Reads priced_events wallet by wallet, in batches small enough to hold. DuckDB sorts them into a file of lines, which is read in a
 * third of the time in which the rows would be handed over one by one, and by as many as need them.
 */

import { readLines } from '../disk/lines.js';
import type { Database } from '../duckdb/database.js';

/** A batch: some rows of one wallet, in order, or none where it only held something. A wallet's batches follow each other. */
export interface WalletBatch {
  readonly address: string;
  /** Text of what it held before the index, in its first batch alone: see wallet-index/opening-format.ts. */
  readonly opening?: string | undefined;
  /** One text for each row: see wallet-index/events-format.ts. */
  readonly rows: readonly string[];
  /** No further batch of this wallet follows. */
  readonly last: boolean;
}

/** Rows of a batch at the most. */
const BATCH_ROWS_MAX = 2048;

/** The file with the rows of a generation in the making: beside its index, with which it goes when that is never finished. */
export const eventLinesFile = (indexFolder: string) => `${indexFolder}-rows.txt`;

/**
 * Writes the file that walletBatches reads: what every wallet held before the index, and the rows of priced_events in the order
 * (address, height, position). The database has opening_holdings, too.
 */
export const writeEventLines = (database: Database, path: string): Promise<void> =>
  database.run('tables/event_lines', { path });

/** Yields every wallet's opening holdings and rows, in order. @param path of a file of writeEventLines */
export function* walletBatches(path: string): Generator<WalletBatch> {
  let batch: { address: string; opening: string | undefined; rows: string[] } | undefined;
  for (const line of readLines(path)) {
    const cut = line.indexOf('\t');
    const isSame = batch !== undefined && line.startsWith(batch.address) && cut === batch.address.length;
    if (batch && (!isSame || batch.rows.length === BATCH_ROWS_MAX)) {
      yield { ...batch, last: !isSame };
      batch = { address: batch.address, opening: undefined, rows: [] };
    }
    if (!batch || !isSame) batch = { address: line.slice(0, cut), opening: undefined, rows: [] };
    const text = line.slice(cut + 1);
    if (text.startsWith('{')) batch.opening = joined(batch.opening, text);
    else batch.rows.push(text);
  }
  if (batch) yield { ...batch, last: true };
}

/** Adds the members of a JSON object's text to those of another one's. */
const joined = (object: string | undefined, more: string) =>
  object === undefined ? more : `${object.slice(0, -1)},${more.slice(1)}`;
