/** Creates tables that are derived from other tables: module_accounts, opening_holdings, assets and categories. */
import type { IndexedAsset, IndexedCategory, Manifest } from '../../schemas/types.generated.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { openingHeight } from '../books/reports/coverage.js';
import { chainFacts } from '../classify/chain-facts.js';
import type { ChainFacts } from '../classify/classifier.js';
import type { Reference } from '../reference.js';
import { tableFiles } from './generation.js';

const SOURCES = ['opening_balances', 'native_holdings', 'coin_movements'];

/**
 * Creates opening_holdings, the coins that wallets held before the index. The table is empty if there is no starting
 * state.
 */
export async function attachOpeningHoldings(
  database: Database,
  folder: string,
  manifest: Pick<Manifest, 'tables'> & { readonly coverage: Parameters<typeof openingHeight>[0] },
  { chain, contracts }: Pick<Reference, 'chain' | 'contracts'>,
  rows = 'priced_events',
): Promise<void> {
  if (!manifest.tables.some(({ name }) => name === SOURCES[0])) return createNoOpeningHoldings(database);
  for (const table of SOURCES) await database.attach(table, tableFiles(folder, manifest, table));
  await makeModuleAccounts(database, chainFacts(chain, contracts));
  await database.run('tables/native_changes');
  const opening = openingHeight(manifest.coverage);
  await database.run('tables/opening_holdings', { native: chain.native_denom, opening, rows });
}

export const createNoOpeningHoldings = (database: Database): Promise<void> =>
  database.create('opening_balances', 'opening_holdings');

/**
 * Creates module_accounts: the chain's accounts that nobody has a key for (modules, escrows and share records). The tables
 * opening_balances and coin_movements must exist.
 * @param further SQL file that adds share records whose tokens never moved
 * @param moved table with the denoms that moved
 */
export async function makeModuleAccounts(
  database: Database,
  chain: ChainFacts,
  { further, moved = 'coin_movements' }: { readonly further?: string; readonly moved?: string } = {},
): Promise<void> {
  const { accountPrefix: account_prefix, moduleAccounts } = chain;
  const parameters = { operator_prefix: `${account_prefix}valoper1`, moved };
  const found = await database.all<{ record: string }>(readSql('tables/share_record_ids'), parameters);
  const records = found.map(({ record }) => chain.shareRecordAccount(record));
  await database.run('tables/module_accounts', { module_accounts: JSON.stringify([...moduleAccounts, ...records]) });
  if (further) await database.run(further, { account_prefix });
}

/**
 * Creates the tables assets and categories. They are published, so that users of the files need no other source.
 * @param denoms SQL file that selects the denoms of the rows
 */
export async function makeReferenceTables(
  database: Database,
  reference: Reference,
  denoms = 'tables/denoms',
): Promise<void> {
  const met = await database.all<{ denom: string }>(readSql(denoms));
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

/** Yields registered assets, then all other denoms. Names are the same as in the API's answers. */
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
