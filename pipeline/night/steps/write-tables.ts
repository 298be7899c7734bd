import type { IndexedAsset, IndexedCategory, ManifestTable } from '../../../schemas/types.generated.js';
import { type Database, readSql } from '../../base/duckdb/database.js';
import { writeTable } from '../../base/duckdb/table-file.js';
import type { Reference } from '../../reference.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

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

/** Creates the tables assets, categories and validator_payouts, then writes all tables except events. */
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

/** Creates the tables assets and categories. They are published so that users of the files need no other source. */
export async function makeReferenceTables(database: Database, reference: Reference): Promise<void> {
  const met = await database.all<{ denom: string }>(readSql('tables/denoms'));
  await database.create('assets');
  await database.append<IndexedAsset>(
    'assets',
    describeAssets(
      reference,
      met.map(({ denom }) => denom),
    ),
  );
  await database.create('categories');
  await database.append<IndexedCategory>(
    'categories',
    reference.categories.map(({ category, label, description, groups, taxable }) => ({
      category,
      label,
      description,
      groups,
      taxable,
    })),
  );
}

/** Yields registered assets, then unregistered denoms, with the names that responses use. */
function* describeAssets({ assets, rules }: Reference, met: readonly string[]): Generator<IndexedAsset> {
  for (const { denom, symbol, decimals, name, coingecko_id = null, trace = null } of assets) {
    yield { denom, symbol, decimals, registered: true, name, coingecko_id, trace };
  }
  const known = new Set(assets.map(({ denom }) => denom));
  for (const denom of met) {
    if (known.has(denom)) continue;
    yield { denom, ...rules.denomination(denom), registered: false, name: null, coingecko_id: null, trace: null };
  }
}
