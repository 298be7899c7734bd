/** The audits: queries under pipeline/audits that must each return no row, or nothing is published. */
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import type { Category, Manifest } from '../../schemas/types.generated.js';
import { chainFacts } from '../classify/chain-facts.js';
import type { ChainFacts } from '../classify/classifier.js';
import { listFolder } from '../disk/atomic-files.js';
import { scratchFolder } from '../disk/scratch-folder.js';
import { Database, type Parameters, readSql } from '../duckdb/database.js';
import { projectRoot } from '../project.js';
import type { Reference } from '../reference.js';
import { openingHeight } from '../reports/coverage.js';
import { makeOwnAccounts } from './derived-tables.js';
import { tableFiles } from './generation.js';

/** Differences shown of one audit, at the most. */
const DIFFERENCES_MAX = 10;

/** Tables of holdings and balances, which a dataset without a starting state does not have: its audits find no row in them. */
export const HOLDINGS_TABLES = [
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'validator_slashes',
  'opening_balances',
  'native_holdings',
  'daily_holdings',
];

/** The part of a manifest that audits need: the manifest itself may not be written yet. */
export type Audited = Pick<Manifest, 'tables' | 'oversized' | 'holdings_until' | 'starting_differences'> & {
  readonly coverage: Pick<Manifest['coverage'], 'first_height' | 'starting_height'>;
};

export interface AuditResult {
  readonly audit: string;
  /** The audit's claim: the comment that its file begins with. */
  readonly claim: string;
  /** Rows that contradict the claim, the first few; none when it holds. */
  readonly differences: readonly Record<string, unknown>[];
}

/** The names of all audits, in order. */
export function auditNames(): string[] {
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
 * Returns what the audits must know of holdings: their first and last height, and the starting state's differences, base units of
 * the two pools and 10^-18 shares by validator.
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
  };
}

/** Audits that run at the same time: to DuckDB a month is one piece of work, which it does not share out. */
const AUDITS_AT_ONCE = 2;

/** Runs every audit on the tables of a generation's folder. */
export async function* runAudits(folder: string, manifest: Audited, reference: Reference): AsyncGenerator<AuditResult> {
  const parameters = auditParameters(reference);
  const database = await Database.open(await scratchFolder(dirname(folder), 'audits-spill'));
  const lanes = [database];
  let settled: Promise<unknown> | undefined;
  try {
    const there = manifest.tables.map(({ name }) => name);
    for (const name of there) await database.attach(name, tableFiles(folder, manifest, name));
    for (const name of HOLDINGS_TABLES) if (!there.includes(name)) await database.create(name);
    const all = { ...parameters, ...holdingsParameters(manifest) };
    await makeAuditTables(database, chainFacts(reference.chain, reference.contracts), all);
    while (lanes.length < AUDITS_AT_ONCE) lanes.push(await database.beside());
    const free = [...lanes];
    const limit = pLimit(AUDITS_AT_ONCE);
    const results = auditNames().map((audit) =>
      limit(async () => {
        const lane = free.pop()!;
        try {
          return await runAudit(lane, audit, all);
        } finally {
          free.push(lane);
        }
      }),
    );
    settled = Promise.allSettled(results); // from now on: one that fails before its turn is no failure that nobody handles
    for (const result of results) yield await result;
  } finally {
    await settled;
    for (const lane of lanes.reverse()) lane.close();
  }
}

/** Gives the parameters of the audits: names and addresses of the reviewed data. */
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

/** Tells categories that neither make nor take open lots: coins stay the wallet's, or burn in an escrow. */
const leavesLots = ({ in: incoming, out, effect }: Category) =>
  effect === undefined && incoming === undefined && (out === undefined || out.act === 'burn-deposit');

/** Makes the tables that several audits read, and the macros, in a database that can read those of a generation. */
export async function makeAuditTables(database: Database, chain: ChainFacts, parameters: Parameters): Promise<void> {
  await makeOwnAccounts(database, chain, 'tables/published_records');
  await database.run('tables/native_changes');
  await database.run('tables/opening_holdings', { ...parameters, rows: 'priced_events' });
  await database.run('tables/rounding_of_shares', parameters);
  await database.run('tables/booked_coins');
  await database.run('tables/staked_coins');
}

async function runAudit(database: Database, audit: string, parameters: Parameters): Promise<AuditResult> {
  const sql = readSql(`audits/${audit}`);
  const differences = await database.all<Record<string, unknown>>(sql, parameters, DIFFERENCES_MAX);
  return { audit, claim: claimOf(sql), differences: differences.slice(0, DIFFERENCES_MAX) };
}

/** Audits that failed: what would have been published is thrown away. */
export class AuditError extends Error {
  /** @param suspects groups of heights at which the cause may lie, the likeliest group first */
  constructor(
    readonly failed: readonly AuditResult[],
    readonly suspects: readonly (readonly number[])[],
  ) {
    super(failed.map(describe).join('\n'));
  }
}

/** A failed audit for people: what it claims, then one line a difference. */
export function describe({ audit, claim, differences }: AuditResult): string {
  return [`${audit}: ${claim}`, ...differences.map((row) => `  ${JSON.stringify(row)}`)].join('\n');
}
