/**
 * Refuses a nightly run on a data folder that has another dataset, and a generation that lacks data of the current one.
 * Audits do not detect a forgotten starting state or an empty folder of prices.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFile } from '../../schemas/types.generated.js';
import { VariableError } from '../base/config-error.js';
import { type Database, type Parameters, readSql } from '../base/duckdb/database.js';
import { addDays } from '../base/values/day.js';
import { RATE_DAYS_BACK } from '../books/currencies/exchange-rates.js';
import { newerVersions, type Versions } from '../books/reports/versions.js';
import { replacedFiles } from '../chain/raw-files.js';
import { currentOfAnyProgram, replacedGeneration, type SealedGeneration } from './generation.js';

/** Used instead of a transaction hash if it is the sum of a token's rows that is too large for a column. */
export const SUM = 'sum';

/** Tables that may lose rows only if the named version changes. A table with `undefined` must never lose rows. */
const LASTING: Readonly<Record<string, 'classifier_version' | 'methodology_version' | undefined>> = {
  blocks: undefined,
  transactions: undefined,
  coin_movements: undefined,
  priced_events: 'classifier_version',
  validator_payouts: 'classifier_version',
  prices: 'methodology_version',
  exchange_rates: undefined,
};

/** File with the days without a price. It may lose rows, because a later nightly run may find prices. */
export const MISSING_PRICES = 'prices/missing.parquet';

/** Thrown if publishing would lose data. The current generation then stays current. */
export class LossError extends Error {
  constructor(readonly losses: readonly string[]) {
    super(`this nightly run would remove ${losses.join('; ')}`);
  }
}

interface ConfiguredDataset {
  readonly dataDir: string;
  readonly nodeChainId: string;
  /** Addresses of single wallets; undefined for the whole chain. */
  readonly wallets: readonly string[] | undefined;
  /** File or URL of the starting state. */
  readonly genesis: string | undefined;
}

/**
 * Checks that a data folder contains the wanted chain, and either the whole chain or single wallets. The check runs
 * before any block is fetched.
 * @throws VariableError that names the variable to change
 */
export function expectSameDataset({ dataDir, nodeChainId, wallets, genesis }: ConfiguredDataset): void {
  const made = currentOfAnyProgram(dataDir)?.manifest;
  if (made === undefined) return;
  const other = 'set HUBLEDGER_DATA_DIR to another folder';
  const { node_chain_id: chain = nodeChainId, own_wallets, coverage } = made;
  if (chain !== nodeChainId)
    throw new VariableError(`${dataDir} has a dataset of ${chain}, but this run reads ${nodeChainId}: ${other}`);
  if (wallets && !own_wallets)
    throw new VariableError(`${dataDir} has a dataset of the whole chain, but HUBLEDGER_WALLETS is set: ${other}`);
  if (own_wallets && !wallets)
    throw new VariableError(
      `${dataDir} has a dataset of single wallets, but HUBLEDGER_WALLETS is not set: set it again, or ${other}`,
    );
  const height = coverage?.starting_height ?? null;
  if (height !== null && !wallets && genesis === undefined)
    throw new VariableError(
      `the dataset in ${dataDir} rests on the starting state of height ${height}, but HUBLEDGER_GENESIS is not set: ` +
        'set it again, or use --allow-loss',
    );
}

/** @throws LossError if a newer program made the current generation, whose versions this program would take back */
export function expectNoNewer(dataDir: string, versions: Versions): void {
  const current = currentOfAnyProgram(dataDir);
  if (current === undefined) return; // nothing is published, or the manifest is damaged and is made again
  const newer = newerVersions(current.manifest, versions);
  if (newer.length > 0) throw new LossError([`what a newer program has made under ${newer.join(' and ')}`]);
}

/**
 * @param rawFolder folder of raw blocks. Blocks that have been replaced there may lose rows.
 * @throws LossError if the new generation lacks other data of the current generation
 */
export async function expectNoLoss(
  dataDir: string,
  database: Database,
  rawFolder: string,
  manifest: Manifest,
): Promise<void> {
  const last = replacedGeneration(dataDir);
  if (last === undefined || knownLosses(last.manifest, manifest).length === 0) return;
  const losses = knownLosses(last.manifest, manifest, await refutedRows(database, rawFolder, last, manifest));
  if (losses.length > 0) throw new LossError(losses);
}

/**
 * Lists the data of the previous generation that the next one lacks. What another program made and this program cannot
 * read counts as lost.
 * @param refuted numbers of rows that may disappear, because their blocks were wrong
 */
export function knownLosses(previous: Manifest, next: Manifest, refuted?: RowCounts): string[] {
  try {
    return lossesOf(previous, next, refuted);
  } catch (error) {
    return [`what another program has made in ${previous.generation}: ${(error as Error).message}`];
  }
}

/** Number of rows by table and month, for example `blocks/2026-01.parquet` → 3. */
type RowCounts = ReadonlyMap<string, number>;

function lossesOf(previous: Manifest, next: Manifest, refuted: RowCounts = new Map()): string[] {
  const [before, after] = [previous, next].map(({ own_wallets }) => own_wallets?.map(({ address }) => address));
  if (after && !before) return ['all wallets except those of HUBLEDGER_WALLETS'];
  // Rows of wallets that are no longer configured may disappear.
  if (before && !(after && before.every((address) => after.includes(address)))) return [];
  const ends = [...lostState(previous, next), ...lostBlocks(previous, next)];
  // The table restatements is written only after this check, so it counts as present.
  const names = new Set(['restatements', ...next.tables.map(({ name }) => name)]);
  const tables = previous.tables.filter(({ name }) => !names.has(name)).map(({ name }) => `the table ${name}`);
  const rows = ends.length > 0 || hasOutgrown(previous, next) ? [] : lostRows(previous, next, refuted);
  return [...ends, ...lostHoldings(previous, next), ...tables, ...rows];
}

function lostState({ coverage: { starting_height: before } }: Manifest, { coverage }: Manifest): string[] {
  return before !== null && coverage.starting_height === null ? [`the starting state of height ${before}`] : [];
}

function lostBlocks(previous: Manifest, next: Manifest): string[] {
  const [before, after] = [previous.coverage, next.coverage];
  const losses: string[] = [];
  if (after.first_height > before.first_height)
    losses.push(
      `blocks ${before.first_height} to ${after.first_height - 1}, from ${previous.index_start} to ${next.index_start}`,
    );
  if (after.last_height < before.last_height)
    losses.push(
      `blocks ${after.last_height + 1} to ${before.last_height}, from ${next.index_end} to ${previous.index_end}`,
    );
  return losses;
}

function lostHoldings(previous: Manifest, next: Manifest): string[] {
  const { holdings_from: from, holdings_until: until } = next;
  if (previous.holdings_from === null || previous.holdings_until === null || from === null || until === null) return [];
  const before = Math.min(previous.holdings_until, next.coverage.last_height);
  const first = Math.max(previous.holdings_from, next.coverage.first_height);
  return [
    ...(from > first ? [`holdings of blocks ${first} to ${from - 1}`] : []),
    ...(until < before ? [`holdings of blocks ${until + 1} to ${before}`] : []),
  ];
}

const hasOutgrown = (previous: Manifest, next: Manifest): boolean =>
  next.oversized.some(
    ({ tx_hash, denom }) =>
      tx_hash === SUM && !previous.oversized.some((known) => known.denom === denom && known.tx_hash === SUM),
  );

const isComparable = (previous: Manifest, next: Manifest, name: string): boolean => {
  const version = LASTING[name];
  return name in LASTING && (version === undefined || previous[version] === next[version]);
};

function lostRows(previous: Manifest, next: Manifest, refuted: RowCounts): string[] {
  const filesOf = ({ tables }: Manifest): ManifestFile[] =>
    tables
      .filter(({ name }) => isComparable(previous, next, name))
      .flatMap(({ files }) => files)
      .filter(({ path }) => path !== MISSING_PRICES);
  const left = rowsByMonth(filesOf(next));
  return [...rowsByMonth(filesOf(previous))].flatMap(([path, before]) => {
    const lost = before - (left.get(path) ?? 0);
    return lost > (refuted.get(path) ?? 0) ? [`${lost} of ${before} rows of ${path}`] : [];
  });
}

/** Sums rows by month, because two generations may split the same month into different files. */
function rowsByMonth(files: readonly Pick<ManifestFile, 'path' | 'rows'>[]): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { path, rows: count } of files) rows.set(monthPath(path), (rows.get(monthPath(path)) ?? 0) + count);
  return rows;
}

/**
 * Counts rows that may disappear because their blocks were replaced: the blocks' own rows, and all events and payouts
 * since the first of these blocks. Also counts prices and rates of days outside the new index, because a replaced block may have
 * had a wrong time.
 * @param rawFolder folder of raw blocks, including replaced files
 */
async function refutedRows(
  database: Database,
  rawFolder: string,
  { folder, manifest }: SealedGeneration,
  next: Manifest,
): Promise<RowCounts> {
  const sealed = statSync(join(folder, 'manifest.json')).mtimeMs;
  const heights: string[] = [];
  for (const files of replacedFiles(rawFolder)) {
    if (statSync(files.replaced).ctimeMs < sealed) continue;
    const rows = await database.all<{ height: number }>(readSql('tables/replaced_heights'), { ...files });
    heights.push(...rows.map(({ height }) => String(height)));
  }
  if (heights.length === 0) return new Map();
  const since = { query: 'tables/refuted_rows_since_block', values: { first: Math.min(...heights.map(Number)) } };
  const ofBlocks = { query: 'tables/refuted_rows_of_blocks', values: { heights } };
  const queries: Record<string, { query: string; values: Parameters }> = {
    blocks: ofBlocks,
    transactions: ofBlocks,
    coin_movements: ofBlocks,
    priced_events: since,
    validator_payouts: since,
    prices: { query: 'tables/refuted_days', values: { start: next.index_start, end: next.index_end } },
    exchange_rates: {
      query: 'tables/refuted_days',
      values: { start: addDays(next.index_start, -RATE_DAYS_BACK), end: next.index_end },
    },
  };
  const counts: { path: string; rows: number }[] = [];
  for (const { name, files } of manifest.tables) {
    const { query, values } = queries[name] ?? {};
    if (query === undefined || files.length === 0) continue;
    const parameters = { ...values, files: files.map(({ path }) => join(folder, path)), prefix: join(folder, '/') };
    counts.push(...(await database.all<{ path: string; rows: number }>(readSql(query), parameters)));
  }
  return rowsByMonth(counts);
}

const FILE_OF_MONTH = /_\d\d(?=\.parquet$)/;

/** Removes the number of a file: `2026-03_01.parquet` becomes `2026-03.parquet`. */
const monthPath = (path: string): string => path.replace(FILE_OF_MONTH, '');
