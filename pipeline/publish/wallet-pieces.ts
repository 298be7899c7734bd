/** priced_events wallet by wallet, in pieces small enough to hold. */
import type { PackedEvent } from '../../schemas/types.generated.js';
import { type Database, readSql } from '../database.js';

/** Some rows of one wallet, in order. A wallet's pieces follow each other. */
export interface WalletPiece {
  readonly address: string;
  /** A text a row: see pipeline/ledger/wallet-pack.ts. */
  readonly packed: readonly string[];
  /** No further piece of this wallet follows. */
  readonly last: boolean;
}

/** Cuts rows that are sorted by address where the address changes. */
function* runs(rows: readonly PackedEvent[]): Generator<{ address: string; packed: string[] }> {
  let start = 0;
  for (let end = 1; end <= rows.length; end++) {
    const { address } = rows[start]!;
    if (end < rows.length && rows[end]!.address === address) continue;
    yield { address, packed: rows.slice(start, end).map(({ packed }) => packed) };
    start = end;
  }
}

/** Every wallet's rows in the order (address, height, position); never more than two of DuckDB's chunks are held. */
export async function* walletPieces(database: Database): AsyncGenerator<WalletPiece> {
  let held: { address: string; packed: string[] } | undefined;
  for await (const rows of database.rows<PackedEvent>('packed_events', readSql('tables/packed_events'))) {
    for (const run of runs(rows)) {
      if (held) yield { ...held, last: held.address !== run.address };
      held = run;
    }
  }
  if (held) yield { ...held, last: true };
}
