/** The step that makes the journal: every wallet replayed without tags or decisions, one after the other. */
import { mkdirSync } from 'node:fs';
import type { ClosingPosition, LedgerEntry } from '../../schemas/types.generated.js';
import { Database } from '../database.js';
import { coverageOf } from '../ledger/coverage.js';
import { noDecisions } from '../ledger/decisions.js';
import { basisOf } from '../ledger/lots.js';
import { replayWallet } from '../ledger/replay.js';
import { openWallet, type WalletState } from '../ledger/wallet.js';
import type { Night } from '../night.js';
import { attachStoreTables, fillStore } from '../publish/fill-store.js';
import { walletPieces } from '../publish/wallet-pieces.js';
import { WalletStoreWriter } from '../publish/wallet-store-writer.js';
import { writeTable } from '../publish/write-table.js';
import { extentOf } from './extent.js';

/** Entries handed to DuckDB at a time. */
const BATCH_ENTRIES = 20_000;

/**
 * Replays priced_events as they were written: ledger_entries, closing_positions from what is left in each wallet, and, while
 * the rows are at hand, the wallet store.
 */
export async function replayWallets(night: Night): Promise<void> {
  const { database, folder, storeFolder, reference, tables, span } = night;
  const source = await Database.open(); // a connection of its own: entries are appended while events stream
  mkdirSync(storeFolder, { recursive: true });
  const store = new WalletStoreWriter(storeFolder, reference.rules, coverageOf(extentOf(night)));
  try {
    await attachStoreTables(source, folder, { tables });
    await database.create('ledger_entries');
    await database.create('closing_positions');
    await fillStore(store, source, { tables }, reference.rules.nativeDenom);
    await replayAll(night, source, store);
  } finally {
    await store.close();
    source.close();
  }
  tables.push(await writeTable(database, 'ledger_entries', folder, span.months));
  tables.push(await writeTable(database, 'closing_positions', folder));
}

async function replayAll({ database, tables, progress, reference }: Night, source: Database, store: WalletStoreWriter) {
  const total = tables.find(({ name }) => name === 'priced_events')!.rows;
  let done = 0;
  let wallet = openWallet(reference.rules);
  let entries: LedgerEntry[] = [];
  let positions: ClosingPosition[] = [];
  const flush = async () => {
    await database.append('ledger_entries', entries);
    await database.append('closing_positions', positions);
    [entries, positions] = [[], []];
    progress.update(done, total);
  };
  for await (const piece of walletPieces(source)) {
    for (const entry of replayWallet(piece.events, noDecisions, wallet)) entries.push(entry);
    await store.add(piece);
    done += piece.events.length;
    if (piece.last) {
      positions.push(...closingPositions(wallet));
      wallet = openWallet(reference.rules);
    }
    if (entries.length >= BATCH_ENTRIES) await flush();
  }
  await flush();
}

/** What lies in a wallet's holdings. Read from the lots themselves, so that the audit of the journal rests on them. */
function* closingPositions({ address, holdings }: WalletState): Generator<ClosingPosition> {
  for (const { denom, symbol, lots } of holdings.values()) {
    let [quantity, unknown, basis] = [0n, 0n, 0n];
    const open = new Set<unknown>();
    for (const slice of lots) {
      const units = slice.to - slice.from;
      const cents = basisOf(slice);
      open.add(slice.lot);
      quantity += units;
      if (cents === null) unknown += units;
      else basis += cents;
    }
    if (quantity === 0n) continue;
    yield {
      address,
      denom,
      asset: symbol,
      quantity,
      unknown_basis_quantity: unknown,
      cost_basis_usd: basis,
      lots: open.size,
    };
  }
}
