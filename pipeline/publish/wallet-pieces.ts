/** priced_events wallet by wallet, in pieces small enough to hold. */
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { Database } from '../database.js';

/** Some rows of one wallet, in order. A wallet's pieces follow each other. */
export interface WalletPiece {
  readonly address: string;
  readonly events: readonly PricedEvent[];
  /** No further piece of this wallet follows. */
  readonly last: boolean;
}

/** Cuts rows that are sorted by address where the address changes. */
function* runs(rows: readonly PricedEvent[]): Generator<{ address: string; events: PricedEvent[] }> {
  let start = 0;
  for (let end = 1; end <= rows.length; end++) {
    const { address } = rows[start]!;
    if (end < rows.length && rows[end]!.address === address) continue;
    yield { address, events: rows.slice(start, end) };
    start = end;
  }
}

/** Every wallet's rows in the order (address, height, position); never more than two of DuckDB's chunks are held. */
export async function* walletPieces(database: Database): AsyncGenerator<WalletPiece> {
  let held: { address: string; events: PricedEvent[] } | undefined;
  for await (const rows of database.sorted<PricedEvent>('priced_events')) {
    for (const run of runs(rows)) {
      if (held) yield { ...held, last: held.address !== run.address };
      held = run;
    }
  }
  if (held) yield { ...held, last: true };
}
