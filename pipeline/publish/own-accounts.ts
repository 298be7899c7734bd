/** The table of accounts that no key holds: modules and escrows by the chain's file, share records by what a dataset holds. */
import type { ChainFacts } from '../classify/classifier.js';
import { type Database, readSql } from '../duckdb/database.js';

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
