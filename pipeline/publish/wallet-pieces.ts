/**
 * priced_events wallet by wallet, in pieces small enough to hold. DuckDB sorts them into a file of lines, which is read in a third of
 * the time in which the rows would be handed over one by one, and by as many as need them.
 */

import { readLines } from '../disk/lines.js';
import type { Database } from '../duckdb/database.js';

/** Some rows of one wallet, in order. A wallet's pieces follow each other. */
export interface WalletPiece {
  readonly address: string;
  /** A text a row: see wallet-store/events-format.ts. */
  readonly packed: readonly string[];
  /** No further piece of this wallet follows. */
  readonly last: boolean;
}

/** Rows of a piece at the most. */
const MOST_ROWS = 2048;

/** Where the rows of a generation in the making lie meanwhile: beside its store, with which they go when it is never finished. */
export const packedFile = (storeFolder: string) => `${storeFolder}-rows.txt`;

/** Writes the file that walletPieces reads: the rows of priced_events in the order (address, height, position). */
export const packEvents = (database: Database, path: string): Promise<void> =>
  database.run('tables/packed_events', { path });

/** Every wallet's rows in order. @param path of a file of packEvents */
export function* walletPieces(path: string): Generator<WalletPiece> {
  let address = '';
  let packed: string[] = [];
  for (const line of readLines(path)) {
    const cut = line.indexOf('\t');
    const isSame = line.startsWith(address) && cut === address.length;
    if (packed.length > 0 && (!isSame || packed.length === MOST_ROWS)) {
      yield { address, packed, last: !isSame };
      packed = [];
    }
    if (!isSame) address = line.slice(0, cut);
    packed.push(line.slice(cut + 1));
  }
  if (packed.length > 0) yield { address, packed, last: true };
}
