/**
 * Reads priced_events wallet by wallet in batches. DuckDB sorts the rows into a file of lines, which is three times as
 * fast as fetching rows and can be read by several readers.
 */
import { readLines } from '../base/disk/lines.js';
import type { Database } from '../base/duckdb/database.js';

/** Consecutive rows of one wallet; no rows if the wallet only has opening holdings. */
export interface WalletBatch {
  readonly address: string;
  /** Opening holdings (parseOpening of wallet-index/events-format.ts); in the first batch only. */
  readonly opening?: string | undefined;
  /** JSON arrays (wallet-index/events-format.ts). */
  readonly rows: readonly string[];
  /** True for the wallet's last batch. */
  readonly last: boolean;
}

const BATCH_ROWS_MAX = 2048;

/** Lies beside the unfinished index and is removed with it. */
export const eventLinesFile = (indexFolder: string) => `${indexFolder}-rows.txt`;

/** Writes opening_holdings and priced_events as lines, ordered by address, height and position. */
export const writeEventLines = (database: Database, path: string): Promise<void> =>
  database.run('tables/event_lines', { path });

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

const joined = (object: string | undefined, more: string) =>
  object === undefined ? more : `${object.slice(0, -1)},${more.slice(1)}`;
