/**
 * Reads priced_events wallet by wallet, in batches. DuckDB first writes the sorted rows to a text file, because reading
 * lines is three times as fast as fetching rows.
 */
import { rmSync } from 'node:fs';
import { type LineEncoding, readLines } from '../base/disk/lines.js';
import type { Database } from '../base/duckdb/database.js';
import { keyRanges } from '../base/duckdb/table-file.js';

/** Rows of a single wallet. A wallet that has only opening holdings has one batch without rows. */
export interface WalletBatch {
  readonly address: string;
  readonly opening?: string | undefined;
  /** Each row is a JSON array (EventTuple in wallet-index/events-format.ts). */
  readonly rows: readonly string[];
  readonly last: boolean;
}

const BATCH_ROWS_MAX = 2048;

/** Number of rows that are sorted at once, in about 50 MB. */
const SORTED_ROWS = 32_768;

/**
 * Yields the rows of opening_holdings and priced_events, ordered by address, height and position. Sorts a range of
 * wallets at a time, so that memory does not grow with the number of rows.
 * @param path of a temporary file
 */
export async function* eventBatches(
  database: Database,
  path: string,
  { size = SORTED_ROWS, encoding }: { readonly size?: number; readonly encoding?: LineEncoding } = {},
): AsyncGenerator<WalletBatch> {
  await database.run('tables/row_lines');
  try {
    const lines = 'from (select address from opening_holdings union all select address from priced_events)';
    const ranges = await keyRanges(database, lines, 'address', { size });
    for (const { above, upTo } of ranges) {
      await database.run('tables/event_lines', { path, above, up_to: upTo });
      yield* walletBatches(readLines(path, encoding));
    }
  } finally {
    rmSync(path, { force: true });
  }
}

/** Writes one line for each row of a month's priced_events files, which are already sorted. */
export async function writeMonthLines(database: Database, files: readonly string[], path: string): Promise<void> {
  await database.attach('priced_events', files, 'month_events');
  await database.run('tables/row_lines');
  await database.run('tables/month_lines', { path });
}

export const writeOpeningLines = (database: Database, path: string): Promise<void> =>
  database.run('tables/opening_lines', { path });

/** @param lines sorted by address; a wallet's opening holdings come first */
export function* walletBatches(lines: Iterable<string>): Generator<WalletBatch> {
  let batch: { address: string; opening: string | undefined; rows: string[] } | undefined;
  for (const line of lines) {
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
