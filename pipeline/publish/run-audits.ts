/** Runs the audits. An audit is a query in pipeline/audits that returns no rows if the dataset is correct. */
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import type { Category, Manifest } from '../../schemas/types.generated.js';
import { listFolder } from '../base/disk/atomic-files.js';
import { scratchFolder } from '../base/disk/lock.js';
import { Database, type Parameters, readSql } from '../base/duckdb/database.js';
import { projectRoot } from '../base/project.js';
import { openingHeight } from '../books/reports/coverage.js';
import { chainFacts } from '../classify/chain-facts.js';
import type { ChainFacts } from '../classify/classifier.js';
import type { Reference } from '../reference.js';
import { makeModuleAccounts } from './derived-tables.js';
import { tableFiles } from './generation.js';

const DIFFERENCES_MAX = 10;

/** Tables of holdings with files for each month. */
export const MONTHLY_HOLDINGS = [
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'validator_edges',
  'validator_rates',
  'block_nanos',
  'daily_holdings',
  'reward_months',
];

/**
 * Tables of holdings and balances. A dataset without a starting state lacks these tables, so its audits read empty
 * tables instead.
 */
export const HOLDINGS_TABLES = [...MONTHLY_HOLDINGS, 'validator_slashes', 'opening_balances', 'native_holdings'];

/** Tables of holdings in a dataset of single wallets. */
export const TRACKED_HOLDINGS_TABLES = [
  'block_nanos',
  'opening_balances',
  'native_holdings',
  'daily_holdings',
  'wallet_states',
  'wallet_stakes',
];

/**
 * Audits that need all accounts or all blocks. In a dataset of single wallets, they are replaced by proofs against a
 * node's state.
 */
export const OF_THE_WHOLE_CHAIN: ReadonlySet<string> = new Set([
  'balances_not_negative',
  'blocks_have_no_hole',
  'daily_holdings_are_the_days',
  'fees_once',
  'holdings_change_by_rows',
  'rewards_add_up',
  'supply',
  'transactions_are_the_rows',
]);

/** The part of a manifest that audits need. Audits run before the manifest is written. */
export type Audited = Pick<
  Manifest,
  'tables' | 'oversized' | 'holdings_until' | 'starting_differences' | 'own_wallets'
> & {
  readonly coverage: Pick<Manifest['coverage'], 'first_height' | 'starting_height'>;
};

export interface AuditResult {
  readonly audit: string;
  readonly claim: string;
  readonly differences: readonly Record<string, unknown>[];
}

function auditNames(): string[] {
  const files = listFolder(join(projectRoot(), 'pipeline/audits'));
  return files.filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -'.sql'.length));
}

function claimOf(sql: string): string {
  const lines = sql.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  return lines
    .slice(0, end)
    .map((line) => line.slice(2).trim())
    .join(' ');
}

/**
 * Returns the parameters of queries about holdings. Differences of the starting state are in base units for pools, and
 * in 10^-18 shares for validators. Audits that compute running sums check only blocks after `since`.
 */
export function holdingsParameters(manifest: Omit<Audited, 'tables'>): Parameters {
  const { coverage, holdings_until, oversized, starting_differences } = manifest;
  const scaled = (amount: string) => BigInt(amount.replace('.', ''));
  const pools = starting_differences.filter(({ sum }) => sum.endsWith('tokens_pool'));
  const shares = starting_differences.filter(({ sum }) => sum === 'shares');
  return {
    opening: openingHeight(coverage),
    holdings_until,
    oversized: oversized.map(({ denom }) => denom),
    pool_difference: String(pools.reduce((total, { amount }) => total + scaled(amount), 0n) / 10n ** 18n),
    share_differences: shares.map(({ of, amount }) => `${of} ${scaled(amount)}`),
    since: -1,
  };
}

/** Audits that need only one month's rows and the lots at its beginning and end. */
export const MONTH_AUDITS = [
  'audits/amounts_are_positive',
  'audits/assets_match_positions',
  'audits/fees_once',
  'audits/flags_are_receipts',
  'audits/income_adds_up',
  'audits/journal_is_sound',
  'audits/lots_are_the_rows',
  'audits/movements_explained',
  'audits/names_are_known',
  'audits/no_module_accounts',
  'audits/payouts_are_booked',
  'audits/positions_count_up',
  'audits/prices_as_published',
  'audits/rows_have_block_times',
  'audits/supply',
  'audits/transactions_are_the_rows',
  'audits/unique_ids',
] as const;

/** Audits that are skipped without holdings. */
const HOLDINGS_AUDITS = [
  'audits/balances_not_negative',
  'audits/books_are_the_holdings',
  'audits/daily_holdings_are_the_days',
  'audits/holdings_change_by_rows',
  'audits/opening_not_negative',
  'audits/pools_hold_the_stakes',
  'audits/rewards_add_up',
  'audits/shares_add_up',
];

/** Results of the audits of single months that the audits of the whole dataset need. */
export interface AuditedMonths {
  /** JSON list of the addresses that belong to the chain itself. */
  readonly moduleAccounts: string;
  /** Files with the names in each month's rows (see tables/row_names.sql). */
  readonly names: readonly string[];
  /** Height up to which an earlier run has audited the same rows; -1 if there is none. */
  readonly since: number;
}

/** Number of audits that run in parallel. DuckDB uses only one thread for a small table. */
const AUDITS_AT_ONCE = 2;

/**
 * Runs all audits of a dataset. If the caller has already audited each month, runs only the audits that need several
 * months.
 * @param months results of the audits of single months, if the caller has run them
 */
export async function* runAudits(
  folder: string,
  manifest: Audited,
  reference: Reference,
  months?: AuditedMonths,
): AsyncGenerator<AuditResult> {
  const parameters = auditParameters(reference);
  const database = await Database.open(await scratchFolder(dirname(folder), 'audits-spill'));
  const lanes = [database];
  let settled: Promise<unknown> | undefined;
  try {
    const there = manifest.tables.map(({ name }) => name);
    for (const name of there) await database.attach(name, tableFiles(folder, manifest, name));
    for (const name of [...HOLDINGS_TABLES, 'exchange_rates']) if (!there.includes(name)) await database.create(name);
    const all = { ...parameters, ...holdingsParameters(manifest), ...(months && { since: months.since }) };
    const done: string[] = [];
    if (months) done.push(...MONTH_AUDITS);
    if (months && !there.includes('native_holdings')) {
      done.push(...HOLDINGS_AUDITS);
      await gatherNames(database, months);
    } else await makeAuditTables(database, chainFacts(reference.chain, reference.contracts), all, months);
    while (lanes.length < AUDITS_AT_ONCE) lanes.push(await database.beside());
    const free = [...lanes];
    const limit = pLimit(AUDITS_AT_ONCE);
    const audits = auditNames().filter(
      (audit) => !done.includes(`audits/${audit}`) && !(manifest.own_wallets && OF_THE_WHOLE_CHAIN.has(audit)),
    );
    const results = audits.map((audit) =>
      limit(async () => {
        const lane = free.pop()!;
        try {
          return await runAudit(lane, `audits/${audit}`, all);
        } finally {
          free.push(lane);
        }
      }),
    );
    settled = Promise.allSettled(results); // handles rejections that occur before the loop awaits them
    for (const result of results) yield await result;
  } finally {
    await settled;
    for (const lane of lanes.reverse()) lane.close();
  }
}

export function auditParameters({ chain, contracts, categories, triggers }: Reference): Parameters {
  const facts = chainFacts(chain, contracts);
  return {
    categories: categories.map(({ category }) => category),
    rewards: categories.filter(({ groups }) => groups.includes('rewards')).map(({ category }) => category),
    triggers: triggers.flatMap(({ trigger, categories }) => categories.map((category) => `${trigger} ${category}`)),
    fee_collectors: facts.feeCollectors,
    governance: facts.module('gov'),
    native: chain.native_denom,
    pools: [facts.module('bonded_tokens_pool'), facts.module('not_bonded_tokens_pool')],
    still: categories.filter(leavesLots).map(({ category }) => category),
  };
}

/**
 * Returns true if a category does not change open lots, because its coins stay in the wallet or are burned in an
 * escrow.
 */
const leavesLots = ({ in: incoming, out, effect }: Category) =>
  effect === undefined && incoming === undefined && (out === undefined || out.act === 'burn-deposit');

export async function makeAuditTables(
  database: Database,
  chain: ChainFacts,
  parameters: Parameters,
  months?: AuditedMonths,
): Promise<void> {
  if (months) {
    await database.run('tables/module_accounts', { module_accounts: months.moduleAccounts });
    await gatherNames(database, months);
  } else {
    await makeModuleAccounts(database, chain, { further: 'tables/published_records' });
    await database.run('tables/row_names');
  }
  await database.run('tables/native_changes');
  if (!months) {
    await database.create('closing_positions', 'earlier_positions');
    await database.run('tables/opening_holdings', { ...parameters, rows: 'priced_events' });
  }
  await database.run('tables/rounding_of_shares', parameters);
  await database.run('tables/booked_coins');
  await database.run('tables/staked_coins');
  await database.run('tables/decimal_units');
}

const gatherNames = (database: Database, { names }: AuditedMonths): Promise<void> =>
  database.execute('create or replace table row_names as select distinct name, list from read_parquet($files)', {
    files: names,
  });

/** @param path such as audits/unique_ids */
export async function runAudit(database: Database, path: string, parameters: Parameters): Promise<AuditResult> {
  const sql = readSql(path);
  const differences = await database.all<Record<string, unknown>>(sql, parameters, DIFFERENCES_MAX);
  const audit = path.slice('audits/'.length);
  return { audit, claim: claimOf(sql), differences: differences.slice(0, DIFFERENCES_MAX) };
}

export class AuditError extends Error {
  /** @param suspects groups of heights of blocks that may be the cause, most likely first */
  constructor(
    readonly failed: readonly AuditResult[],
    readonly suspects: readonly (readonly number[])[],
  ) {
    super(failed.map(describe).join('\n'));
  }
}

export function describe({ audit, claim, differences }: AuditResult): string {
  return [`${audit}: ${claim}`, ...differences.map((row) => `  ${JSON.stringify(row)}`)].join('\n');
}
