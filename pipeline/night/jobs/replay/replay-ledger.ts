/** Computes the ledger of every wallet, without the tags and decisions of users. */
import type { ClosingPosition, LedgerEntry } from '../../../../schemas/types.generated.js';
import { Database } from '../../../base/duckdb/database.js';
import { type Month, writeTable } from '../../../base/duckdb/table-file.js';
import { noDecisions } from '../../../ledger/decisions.js';
import { replayWallet } from '../../../ledger/replay.js';
import type { Rules } from '../../../ledger/rules.js';
import { openWallet, type WalletState } from '../../../ledger/wallet.js';
import { walletBatches } from '../../../publish/wallet-batches.js';
import { eventsOf, parseOpening } from '../../../publish/wallet-index/events-format.js';
import { loadReference } from '../../../reference.js';
import { openLots } from '../../../reports/positions.js';

export interface LedgerJob {
  readonly eventLines: string;
  readonly hasOpening: boolean;
  readonly folder: string;
  readonly months: readonly Month[];
}

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

/** Sums the remaining lots instead of the journal, so that audits can compare both. */
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
