/** The table opening_holdings of a sealed generation: what its wallets held before the index. */
import type { Manifest } from '../../schemas/types.generated.js';
import { chainFacts } from '../classify/chain-facts.js';
import type { Database } from '../duckdb/database.js';
import type { Reference } from '../reference.js';
import { openingHeight } from '../reports/coverage.js';
import { tableFiles } from './generation.js';
import { makeOwnAccounts } from './own-accounts.js';

/** The published tables that it follows from, beside priced_events. */
const SOURCES = ['opening_balances', 'native_holdings', 'coin_movements'];

/** Makes the table in a database that has all rows; it is empty where the generation has no starting state. @param rows their table */
export async function attachOpeningHoldings(
  database: Database,
  folder: string,
  manifest: Pick<Manifest, 'tables' | 'coverage'>,
  { chain, contracts }: Pick<Reference, 'chain' | 'contracts'>,
  rows = 'priced_events',
): Promise<void> {
  if (!manifest.tables.some(({ name }) => name === SOURCES[0])) return createNoOpeningHoldings(database);
  for (const table of SOURCES) await database.attach(table, tableFiles(folder, manifest, table));
  await makeOwnAccounts(database, chainFacts(chain, contracts));
  await database.run('tables/native_changes');
  const opening = openingHeight(manifest.coverage);
  await database.run('tables/opening_holdings', { native: chain.native_denom, opening, rows });
}

/** Makes the table without a row: nobody is known to have held anything. */
export const createNoOpeningHoldings = (database: Database): Promise<void> =>
  database.create('opening_balances', 'opening_holdings');
