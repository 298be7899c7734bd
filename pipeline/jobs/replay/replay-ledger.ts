/** Replays every wallet without tags or decisions, one after the other: the journal, and what is left in each wallet. */
import type { ClosingPosition, LedgerEntry } from '../../../schemas/types.generated.js';
import { Database } from '../../duckdb/database.js';
import { noDecisions } from '../../ledger/decisions/decisions.js';
import { replayWallet } from '../../ledger/replay.js';
import type { Rules } from '../../ledger/rules.js';
import { openWallet, type WalletState } from '../../ledger/wallet.js';
import { walletBatches } from '../../publish/wallet-batches.js';
import { type Month, writeTable } from '../../publish/write-table.js';
import { loadReference } from '../../reference.js';
import { openLots } from '../../reports/positions.js';
import { eventsOf } from '../../wallet-index/events-format.js';
import { parseOpening } from '../../wallet-index/opening-format.js';

/** The rows to replay, and where the journal goes. It is plain data, and may cross threads. */
export interface LedgerJob {
  /** Path of the rows of priced_events: see publish/wallet-batches.ts. */
  readonly eventLines: string;
  /** Whether there is a starting state, which tells what wallets held before the index. */
  readonly hasOpening: boolean;
  /** Folder of the generation in the making. */
  readonly folder: string;
  readonly months: readonly Month[];
}

/** Writes ledger_entries and closing_positions into the folder. */
export async function replayLedger(job: LedgerJob): Promise<void> {
  const { folder, months } = job;
  const target = await Database.open(`${folder}-journal-spill`, { threads: 1, memoryLimit: '300MB' });
  try {
    await replayAll(job, target, loadReference().rules);
    await writeTable(target, 'ledger_entries', folder, months);
    await writeTable(target, 'closing_positions', folder);
  } finally {
    target.close();
  }
}

async function replayAll({ eventLines, hasOpening }: LedgerJob, target: Database, rules: Rules): Promise<void> {
  await target.create('ledger_entries');
  await target.create('closing_positions');
  const entries = await target.appender<LedgerEntry>('ledger_entries');
  const positions = await target.appender<ClosingPosition>('closing_positions');
  let wallet: WalletState | undefined;
  for (const { address, opening, rows, last } of walletBatches(eventLines)) {
    wallet ??= openWallet(rules, address, hasOpening ? parseOpening(opening) : undefined);
    const events = eventsOf(address, rows);
    for (const entry of replayWallet(events, noDecisions, wallet)) entries.add(entry);
    if (!last) continue;
    for (const position of closingPositions(wallet)) positions.add(position);
    wallet = undefined;
  }
  entries.close();
  positions.close();
}

/** Reads what lies in a wallet's holdings from the lots themselves, so that the audits of the journal rest on them. */
function* closingPositions({ address, holdings }: WalletState): Generator<ClosingPosition> {
  for (const holding of holdings.values()) {
    const { quantity, opening, unknown, cost, lots } = openLots(holding);
    if (quantity === 0n && opening === 0n) continue;
    yield {
      address,
      denom: holding.denom,
      asset: holding.symbol,
      quantity,
      opening_quantity: opening,
      unknown_basis_quantity: unknown,
      cost_basis_usd: cost,
      lots,
    };
  }
}
