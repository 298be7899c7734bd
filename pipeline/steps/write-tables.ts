/** The step that publishes the tables which no later step changes. */
import type { ManifestTable } from '../../schemas/types.generated.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { makeReferenceTables } from '../publish/reference-tables.js';
import { writeTable } from '../publish/write-table.js';

/** Tables of rows that happened in a block, or hold between two: one file a month. */
const MONTHLY: ReadonlySet<string> = new Set([
  'blocks',
  'coin_movements',
  'transactions',
  'supply_changes',
  'validator_payouts',
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'daily_holdings',
]);

type Inputs =
  | 'span'
  | 'block_times'
  | 'chain_events'
  | 'coin_movements'
  | 'transactions'
  | 'supply_changes'
  | 'share_rewards'
  | 'validators'
  | 'prices'
  | 'holdings';

/** Makes assets, categories and validator_payouts, and writes them, with all that is in the database but events, into the folder. */
export async function writeTables(
  { span, holdings, ...single }: Pick<Artifacts, Inputs>,
  { database, folder, reference }: StepContext,
): Promise<Pick<Artifacts, 'other_tables'>> {
  const { native_denom: native } = reference.chain;
  await makeReferenceTables(database, reference);
  await database.run('tables/validator_payouts', { native });
  const { block_times, coin_movements, transactions, supply_changes, validators, prices } = single;
  const inBlocks = [block_times, transactions, coin_movements, supply_changes];
  const written: ManifestTable[] = [];
  const others = ['validator_payouts', 'assets', 'categories', prices, validators];
  for (const table of [...inBlocks, ...others, ...holdings]) {
    written.push(await writeTable(database, table, folder, MONTHLY.has(table) ? span.months : undefined));
  }
  return { other_tables: written };
}
