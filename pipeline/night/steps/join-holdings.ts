/** Combines classified rows with the rows of the fold (which computes holdings block by block). */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DelegationSpan, NativeHolding, OversizedToken, ValidatorDay } from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { VariableError } from '../../base/config-error.js';
import { Database, type RowAppender, readSql } from '../../base/duckdb/database.js';
import { openingHeight } from '../../books/reports/coverage.js';
import { chainFacts } from '../../classify/chain-facts.js';
import type { Config } from '../../config.js';
import { stakedTokens } from '../../holdings/day-holdings.js';
import { makeModuleAccounts } from '../../publish/derived-tables.js';
import { SUM } from '../../publish/losses.js';
import { HOLDINGS_TABLES } from '../../publish/run-audits.js';
import type { Reference } from '../../reference.js';
import type { Artifacts, ClassifiedRanges, FoldedHoldings, Span } from '../artifacts.js';
import { attachRanges, RANGE_TABLES } from '../jobs/classified-rows.js';
import { FOLDED_TABLES, tableFile } from '../jobs/fold/holdings-folder.js';
import type { StepContext } from '../night.js';
import type { Piece } from '../pieces.js';
import { oversizedTokens } from './audit.js';
import { carryFacts, type Facts } from './carry-facts.js';
import { edgesInIndex } from './edges.js';
import { makeHoldingsMonths } from './holdings-months.js';
import { makeRewardMonths } from './reward-months.js';

type Inputs = 'start' | 'span' | 'classified' | 'notes' | 'folded';
type Outputs = 'facts' | 'holdings' | 'closed_holdings' | 'accumulated' | 'tracked_wallets' | 'edges';

/** @throws VariableError if the operator's corrections make a balance negative or too large for a column */
export async function joinHoldings(
  { start, span, classified, notes, folded }: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, Outputs>> {
  const { config, database, folder, pieces, reference } = context;
  await attachEarlier(database, classified.earlier);
  await attachFolded(database, folded?.folders ?? []);
  await carryFacts(database, pieces, span.months, classifiedFacts(database, classified, reference));
  const { chain, contracts } = reference;
  const facts = chainFacts(chain, contracts);
  const native = chain.native_denom;
  const { first, last } = span;
  const until = folded?.until ?? last;
  const opening = openingHeight({ first_height: first, starting_height: start?.height ?? null });
  await database.run('tables/index_span', { first, last, until, stop_day: folded?.stop?.day ?? null, opening });
  const accumulated = await sumUp(database, span, config);
  await attachRanges(database, classified.indexed, start && folded ? {} : { from: last + 1 });
  await database.run('tables/coin_movements');
  await database.run('tables/supply_changes');
  if (start && folded) {
    await database.run('tables/opening_balances', { oversized: start.oversized });
    await refuseOverdrafts(database, until, config);
  } else await database.create('opening_balances');
  await makeModuleAccounts(database, facts, { further: 'tables/withdrawing_records', moved: 'denoms' });
  await database.run('tables/native_changes');
  if (start && folded && opening !== null) {
    for (const view of FOLDED_VIEWS) await database.run(view);
    await appendStakes(database, `${folder}-stakes-spill`, folded, first, opening);
    await database.run('tables/native_holdings', { first, until, native, opening });
  } else await database.create('native_holdings');
  await database.run('tables/earlier_slashes', { first, opening, native });
  await database.run('tables/proposal_deposits');
  await database.run('tables/not_refunds', { opening });
  await database.run('tables/not_commissions');
  await database.run('tables/state_events', { first, opening, native, gov: facts.module('gov') });
  let closed_holdings: readonly Piece[] = [];
  if (start && folded) {
    await database.run('tables/staked_coins');
    const openMonth = (folded.stop?.day ?? span.lastTime).slice(0, 7);
    const source = () => openFolded(`${folder}-rewards-spill`, folded);
    const oversized = [...new Set(oversizedTokens({ start, notes, accumulated }).map(({ denom }) => denom))].sort();
    const known = { database, pieces, opening: opening! };
    const rewards = await makeRewardMonths({ ...known, openFolded: source, openMonth, oversized });
    const program = cacheKey([fileURLToPath(import.meta.url)], [native]);
    closed_holdings = await makeHoldingsMonths({ ...known, program, span, classified, folded, native, rewards });
  }
  const edges = start && folded ? await edgesInIndex(database, span, context) : [];
  const holdings = start ? HOLDINGS_TABLES : [];
  return { facts: 'facts', holdings, closed_holdings, accumulated, tracked_wallets: undefined, edges };
}

/** Whole names, because keys of pieces cover the SQL files that the code names. */
const FOLDED_VIEWS = [
  'tables/delegation_intervals',
  'tables/unbonding_intervals',
  'tables/validator_days',
  'tables/validator_edges',
  'tables/validator_rates',
  'tables/block_nanos',
] as const;

const FACTS = ['large_amounts', 'deposits', 'removed_rewards', 'ends', 'names', 'rewarded', 'denoms', 'long_accounts'];

/** Length of the data part of a 32-byte address, including the separator `1`. */
const LONG_ADDRESS = 59;

export function classifiedFacts(
  database: Database,
  { indexed, key }: ClassifiedRanges,
  { chain }: Pick<Reference, 'chain'>,
): Facts {
  return {
    step: 'facts',
    program: cacheKey([fileURLToPath(import.meta.url)], [key]),
    tables: FACTS,
    sql: ['tables/month_facts'],
    parameters: { long: chain.bech32_prefix.length + LONG_ADDRESS },
    rowsOf: ({ content }) => content,
    attach: ({ first, last }) => attachRanges(database, indexed, { from: first, to: last }),
  };
}

/**
 * Returns tokens with total amounts too large for a column. Anyone can create such a token.
 * @throws VariableError if a total is too large only because of the operator's corrections
 */
export async function sumUp(database: Database, { last }: Span, { corrections }: Config): Promise<OversizedToken[]> {
  await database.run('tables/oversized_denoms');
  const found = await database.all<{ denom: string; by_chain: boolean }>('from oversized_denoms order by denom');
  const corrected = found.find(({ by_chain }) => !by_chain);
  if (corrected) {
    const { denom } = corrected;
    const sum = `${denom} adds up to more than 38 digits`;
    throw new VariableError(`HUBLEDGER_CORRECTIONS: ${corrections}: with its adjust_balance ${sum}`);
  }
  return found.map(({ denom }) => ({ height: last, tx_hash: SUM, denom }));
}

/**
 * Checks wallet balances, which the fold does not compute. @throws VariableError if a correction makes a balance
 * negative
 */
async function refuseOverdrafts(database: Database, until: number, { corrections }: Config): Promise<void> {
  const [found] = await database.all<{ address: string; denom: string; height: number; balance: string }>(
    readSql('tables/overdrawn_by_corrections'),
    { until },
  );
  if (!found) return;
  const { address, denom, height, balance } = found;
  const overdraft = `${address} has ${balance} ${denom} after block ${height}`;
  throw new VariableError(`HUBLEDGER_CORRECTIONS: ${corrections}: with its adjust_balance ${overdraft}`);
}

/** Attaches tables with rows from before the index, under names like `earlier_chain_events`. */
export async function attachEarlier(database: Database, folders: readonly string[]): Promise<void> {
  for (const table of RANGE_TABLES) {
    await database.attach(
      table,
      folders.map((folder) => tableFile(folder, table)),
      `earlier_${table}`,
    );
  }
}

export async function attachFolded(database: Database, folders: readonly string[]): Promise<void> {
  const filesOf = (table: string) =>
    folders.map((folder) => tableFile(folder, table)).filter((file) => existsSync(file));
  for (const table of FOLDED_TABLES) await database.attach(table, filesOf(table), `folded_${table}`);
  await database.attach('balance_corrections', filesOf('balance_corrections'));
  await database.attach('validator_slashes', filesOf('validator_slashes'));
  await database.attach('opening_balances', filesOf('opening_balances'), 'starting_balances');
  await database.attach('opening_deposits', filesOf('opening_deposits'));
  await database.attach('validator_names', filesOf('validator_names'), 'starting_validator_names');
}

/** Opens another database with the tables of the fold, because a connection cannot append rows while it reads. */
async function openFolded(spill: string, { folders }: FoldedHoldings): Promise<Database> {
  const source = await Database.open(spill, { threads: 1 });
  await attachFolded(source, folders);
  return source;
}

/** Fills the table `stakes` with every stake at the start and at the end of the range with holdings. */
async function appendStakes(
  database: Database,
  spill: string,
  folded: FoldedHoldings,
  first: number,
  opening: number,
): Promise<void> {
  const source = await openFolded(spill, folded);
  try {
    await database.create('native_holdings', 'stakes');
    const stakes = await database.appender<NativeHolding>('native_holdings', 'stakes');
    if (folded.until >= first) {
      await stakesAfter(source, opening, 'opening', stakes);
      await stakesAfter(source, folded.until, 'closing', stakes);
    }
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
  const intervals = source.rows<DelegationSpan>('delegation_spans', readSql('tables/intervals_at'), { height });
  for await (const rows of intervals) {
    for (const interval of rows) {
      const staked = stakedTokens(interval, validators.get(interval.validator)!);
      stakes.add({ address: interval.delegator, moment, liquid: 0n, staked, unbonding: 0n });
    }
  }
}
