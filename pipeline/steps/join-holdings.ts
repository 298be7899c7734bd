/**
 * The step that brings rows and holdings together: rows that need state over blocks find their place in chain_events, and
 * balances and stakes are cut to the index.
 */
import { existsSync } from 'node:fs';
import type { DelegationInterval, NativeHolding, ValidatorDay } from '../../schemas/types.generated.js';
import { chainFacts } from '../classify/chain-facts.js';
import { Database, type RowAppender, readSql } from '../duckdb/database.js';
import { stakedTokens } from '../holdings/modules/unclaimed-reward.js';
import { HOLDINGS_TABLES, listParts, openFolder, startFolder, tableFile } from '../jobs/fold/holdings-folder.js';
import type { Night } from '../night.js';

/** Makes chain_events, and with a starting state the tables of holdings and of balances, readable. */
export async function joinHoldings(night: Night): Promise<void> {
  const { database, reference, span, start } = night;
  await attachFolded(night, database);
  await database.run('tables/index_span', { first: span.first, last: span.last });
  const { chain, contracts } = reference;
  const facts = chainFacts(chain, contracts);
  await database.run('tables/own_accounts', { module_accounts: [...facts.ownAccounts] });
  await database.run('tables/state_events', {
    first: span.first,
    native: chain.native_denom,
    gov: facts.module('gov'),
  });
  await database.run('tables/chain_events');
  await database.run('tables/validators', { last: span.last });
  if (start === undefined) return;
  for (const table of ['delegation_intervals', 'unbonding_intervals', 'validator_days', 'opening_balances']) {
    await database.run(`tables/${table}`);
  }
  await appendStakes(night);
  await database.run('tables/native_holdings', { first: span.first, native: chain.native_denom });
}

/** The fold's rows as it left them on disk; none without a starting state. */
async function attachFolded({ start, span }: Night, database: Database): Promise<void> {
  const opening = start ? [startFolder(start.folder)] : [];
  const folders = start
    ? [...opening, ...listParts(start.folder).map(({ path }) => path), openFolder(start.folder, span.last)]
    : [];
  const filesOf = (table: string) =>
    folders.map((folder) => tableFile(folder, table)).filter((file) => existsSync(file));
  for (const table of HOLDINGS_TABLES) await database.attach(table, filesOf(table), `folded_${table}`);
  await database.attach('validator_slashes', filesOf('validator_slashes'));
  await database.attach('opening_balances', filesOf('opening_balances'), 'starting_balances');
  await database.attach('opening_deposits', filesOf('opening_deposits'));
  await database.attach('validator_names', filesOf('validator_names'), 'starting_validator_names');
}

/** Fills the table `stakes`: what everybody has staked before the first block of the index and after the last. */
async function appendStakes(night: Night): Promise<void> {
  const { database, span } = night;
  const source = await Database.open({ threads: 1 }); // of its own: rows are appended while others stream
  try {
    await attachFolded(night, source);
    await database.create('native_holdings', 'stakes');
    const stakes = await database.appender<NativeHolding>('native_holdings', 'stakes');
    await stakesAfter(source, span.first - 1, 'opening', stakes);
    await stakesAfter(source, span.last, 'closing', stakes);
    stakes.close();
  } finally {
    source.close();
  }
}

async function stakesAfter(source: Database, height: number, moment: string, stakes: RowAppender<NativeHolding>) {
  const validators = new Map<string, ValidatorDay>();
  for await (const rows of source.rows<ValidatorDay>('validator_days', readSql('tables/validators_at'), { height })) {
    for (const row of rows) validators.set(row.validator, row);
  }
  const intervals = source.rows<DelegationInterval>('delegation_intervals', readSql('tables/intervals_at'), { height });
  for await (const rows of intervals) {
    for (const interval of rows) {
      const staked = stakedTokens(interval, validators.get(interval.validator)!);
      stakes.add({ address: interval.delegator, moment, liquid: 0n, staked, unbonding: 0n });
    }
  }
}
