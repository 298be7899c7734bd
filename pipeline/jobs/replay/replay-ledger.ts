/** Replays every wallet without tags or decisions, one after the other: the journal, and what is left in each wallet. */
import type { ClosingPosition, LedgerEntry } from '../../../schemas/types.generated.js';
import { Database } from '../../duckdb/database.js';
import { noDecisions } from '../../ledger/decisions/decisions.js';
import { basisOf } from '../../ledger/lots.js';
import { replayWallet } from '../../ledger/replay.js';
import type { Rules } from '../../ledger/rules.js';
import { openWallet, type WalletState } from '../../ledger/wallet.js';
import { walletBatches } from '../../publish/wallet-batches.js';
import { type Month, writeTable } from '../../publish/write-table.js';
import { loadReference } from '../../reference.js';
import { eventsOf } from '../../wallet-index/events-format.js';

/** The rows to replay, and where the journal goes. It is plain data, and may cross threads. */
export interface LedgerJob {
  /** Path of the rows of priced_events: see publish/wallet-batches.ts. */
  readonly eventLines: string;
  /** Folder of the generation in the making. */
  readonly folder: string;
  readonly months: readonly Month[];
}

/** Writes ledger_entries and closing_positions into the folder. */
export async function replayLedger({ eventLines, folder, months }: LedgerJob): Promise<void> {
  const target = await Database.open(`${folder}-journal-spill`, { threads: 1 });
  try {
    await replayAll(eventLines, target, loadReference().rules);
    await writeTable(target, 'ledger_entries', folder, months);
    await writeTable(target, 'closing_positions', folder);
  } finally {
    target.close();
  }
}

async function replayAll(eventLines: string, target: Database, rules: Rules): Promise<void> {
  await target.create('ledger_entries');
  await target.create('closing_positions');
  const entries = await target.appender<LedgerEntry>('ledger_entries');
  const positions = await target.appender<ClosingPosition>('closing_positions');
  let wallet = openWallet(rules);
  for (const { address, rows, last } of walletBatches(eventLines)) {
    const events = eventsOf(address, rows);
    for (const entry of replayWallet(events, noDecisions, wallet)) entries.add(entry);
    if (!last) continue;
    for (const position of closingPositions(wallet)) positions.add(position);
    wallet = openWallet(rules);
  }
  entries.close();
  positions.close();
}

/** Reads what lies in a wallet's holdings from the lots themselves, so that the audit of the journal rests on them. */
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
