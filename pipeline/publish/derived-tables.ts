/** Tables that follow from others: accounts without a key, and holdings before the index. */
import type { Manifest } from '../../schemas/types.generated.js';
import { chainFacts } from '../classify/chain-facts.js';
import type { ChainFacts } from '../classify/classifier.js';
import { type Database, readSql } from '../duckdb/database.js';
import type { Reference } from '../reference.js';
import { openingHeight } from '../reports/coverage.js';
import { tableFiles } from './generation.js';

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

/**
 * Makes `own_accounts`, from opening_balances, coin_movements and the chain's facts.
 * @param further tables/…: finds records of which no token moved
 */
export async function makeOwnAccounts(database: Database, chain: ChainFacts, further?: string): Promise<void> {
  const { accountPrefix: account_prefix, ownAccounts } = chain;
  const parameters = { operator_prefix: `${account_prefix}valoper1` };
  const found = await database.all<{ record: string }>(readSql('tables/share_record_ids'), parameters);
  const records = found.map(({ record }) => chain.shareRecordAccount(record));
  await database.run('tables/own_accounts', { own_accounts: [...ownAccounts, ...records] });
  if (further) await database.run(further, { account_prefix });
}
