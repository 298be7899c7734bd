/** Every wallet replayed without tags or decisions, one after the other: the journal, and what is left in each wallet. */
import { rmSync } from 'node:fs';
import type { ClosingPosition, LedgerEntry } from '../../../schemas/types.generated.js';
import { Database } from '../../duckdb/database.js';
import { noDecisions } from '../../ledger/decisions/decisions.js';
import { basisOf } from '../../ledger/lots.js';
import { replayWallet } from '../../ledger/replay.js';
import type { Rules } from '../../ledger/rules.js';
import { openWallet, type WalletState } from '../../ledger/wallet.js';
import { walletPieces } from '../../publish/wallet-pieces.js';
import { type Month, writeTable } from '../../publish/write-table.js';
import { loadReference } from '../../reference.js';
import { eventsOf } from '../../wallet-store/events-format.js';

/** What is to be done. Plain data: it may cross threads. */
export interface LedgerJob {
  /** The rows of priced_events, a file of packEvents. */
  readonly packedEvents: string;
  /** Of the generation in the making. */
  readonly folder: string;
  readonly months: readonly Month[];
}

/** Writes ledger_entries and closing_positions into the folder. */
export async function replayLedger({ packedEvents, folder, months }: LedgerJob): Promise<void> {
  const spill = `${folder}-spill`; // beside the folder: what a killed night leaves of both goes together
  const target = await Database.open({ threads: 1, temporaryDir: spill });
  try {
    await replayAll(packedEvents, target, loadReference().rules);
    await writeTable(target, 'ledger_entries', folder, months);
    await writeTable(target, 'closing_positions', folder);
  } finally {
    target.close();
    rmSync(spill, { recursive: true, force: true });
  }
}

async function replayAll(packedEvents: string, target: Database, rules: Rules): Promise<void> {
  await target.create('ledger_entries');
  await target.create('closing_positions');
  const entries = await target.appender<LedgerEntry>('ledger_entries');
  const positions = await target.appender<ClosingPosition>('closing_positions');
  let wallet = openWallet(rules);
  for (const { address, packed, last } of walletPieces(packedEvents)) {
    const events = eventsOf(address, packed);
    for (const entry of replayWallet(events, noDecisions, wallet)) entries.add(entry);
    if (!last) continue;
    for (const position of closingPositions(wallet)) positions.add(position);
    wallet = openWallet(rules);
  }
  entries.close();
  positions.close();
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
