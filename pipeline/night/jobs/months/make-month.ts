/**
 * Writes the tables that follow from one month's blocks: priced events, movements, transactions, supply changes and
 * payouts.
 */
import { Database } from '../../../base/duckdb/database.js';
import { type Month, writeTable } from '../../../base/duckdb/table-file.js';
import { makeReferenceTables } from '../../../publish/derived-tables.js';
import { loadReference } from '../../../reference.js';
import { noteTables, writePiece } from '../../pieces.js';
import { attachRanges } from '../classified-rows.js';

export interface MonthSets {
  /** JSON list of the accounts that belong to the chain itself. They get no rows. */
  readonly module_accounts: string;
  /** Denoms with sums that are too large for a column. */
  readonly oversized: readonly string[];
  /** Ids of governance payments that are not refunds. */
  readonly not_refunds: readonly string[];
  /** Ids of receipts that are not commission. */
  readonly not_commissions: readonly string[];
  /** If present, only rows of these wallets are written. */
  readonly tracked_wallets?: readonly string[];
}

export interface MonthJob {
  readonly folder: string;
  readonly month: Month;
  readonly ranges: readonly string[];
  readonly sets: MonthSets;
  /** Parquet files with rows that do not come from the month's blocks. */
  readonly inputs: MonthInputs;
}

export interface MonthInputs {
  readonly states: string;
  readonly corrections: string;
  readonly prices: string;
}

export const MONTH_TABLES = [
  'priced_events',
  'coin_movements',
  'transactions',
  'supply_changes',
  'validator_payouts',
] as const;

/** Whole names, because the key of a piece covers the SQL files that the code names. */
const ROWS = ['tables/coin_movements', 'tables/supply_changes', 'tables/chain_events'];

export const makeMonth = (job: MonthJob): Promise<void> => writePiece(job.folder, (making) => makeInto(making, job));

async function makeInto(
  folder: string,
  { month, ranges, sets: { tracked_wallets, ...sets }, inputs }: MonthJob,
): Promise<void> {
  const database = await Database.open(`${folder}-spill`, { memoryLimit: '400MB' });
  try {
    const reference = loadReference();
    await attachRanges(database, ranges, { from: month.first, to: month.last });
    await database.view(inputs.states, 'state_events');
    await database.attach('balance_corrections', [inputs.corrections]);
    await database.attach('prices', [inputs.prices]);
    await database.run('tables/month_sets', { ...sets });
    for (const name of ROWS) await database.run(name);
    if (tracked_wallets) await database.run('tables/tracked_rows', { tracked_wallets });
    await database.run('tables/priced_events');
    await makeReferenceTables(database, reference, 'tables/month_named_denoms');
    await database.run('tables/validator_payouts', { native: reference.chain.native_denom });
    const tables = [];
    for (const table of MONTH_TABLES) tables.push(await writeTable(database, table, folder, [month]));
    noteTables(folder, tables);
  } finally {
    database.close();
  }
}
