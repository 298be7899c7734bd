/**
 * Compares the amounts of closed months with the current generation. A changed amount is a restatement. Restatements
 * are published in the table `restatements`. A nightly run refuses to publish them if their cause is unknown, unless
 * the operator allows it.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFile, ManifestRestatement, ManifestTable } from '../../schemas/types.generated.js';
import { fileSha256 } from '../base/disk/atomic-files.js';
import { type Database, type Parameters, readSql } from '../base/duckdb/database.js';
import { readTable } from '../base/duckdb/table.js';
import { describeTable, writeTableFile } from '../base/duckdb/table-file.js';
import { addDays, DAY_MS } from '../base/values/day.js';
import { RATE_DAYS_BACK } from '../books/currencies/exchange-rates.js';
import { SHARE_PRICE_SOURCE } from '../prices/daily-prices.js';
import type { SealedGeneration } from './generation.js';

export const TABLE = 'restatements';

const ENTRIES = 'ledger_entries';
const RATES = 'exchange_rates';

/** Tables whose amounts are compared. */
const COMPARED = ['prices', RATES, 'priced_events', ENTRIES, 'validator_payouts', 'daily_holdings'];

/** A month is closed this many days after its end (UTC). */
const CLOSING_DAYS = 7;

const REFUSED_CAUSES = new Set(['quote', 'rate', 'unexplained']);

const LINES_MAX = 100;

/** Thrown if amounts of closed months would change without a known cause. The current generation then stays current. */
export class RestatementError extends Error {
  /** @param lines lines of the message; the first line is the total */
  constructor(readonly lines: readonly string[]) {
    super(`this nightly run would change ${lines.map((line, i) => (i === 0 ? line : `  ${line}`)).join('\n')}`);
  }
}

export interface Restated {
  readonly lines: readonly string[];
  readonly isAllowed: boolean;
  readonly entry: Omit<ManifestRestatement, 'generation_after'>;
}

/** A comparison that was impossible. It is never reported as "no change". */
export interface NotCompared {
  readonly reason: string;
}

export interface Comparison {
  readonly native: string;
  /** True if the operator has allowed a loss of data. The loss then counts as the cause of other changes. */
  readonly hasLoss: boolean;
  readonly now: Date;
}

/** Returns the first day (UTC) of the first month that is still open. */
export function firstOpenDay(end: string): string {
  const closed = new Date(Date.parse(end) - CLOSING_DAYS * DAY_MS);
  return `${closed.toISOString().slice(0, 7)}-01`;
}

/**
 * Fills the database table restatements with the changed amounts.
 * @param last the current generation, which another program may have made
 * @param next the new generation, which need not be sealed
 * @returns undefined if all amounts of closed months are equal
 */
export async function compareClosedMonths(
  database: Database,
  last: SealedGeneration,
  next: SealedGeneration,
  comparison: Comparison,
): Promise<Restated | NotCompared | undefined> {
  if ((next.manifest.own_wallets !== undefined) !== (last.manifest.own_wallets !== undefined))
    return { reason: 'one dataset has single wallets, the other the whole chain' };
  try {
    return await changesOf(database, last, next, comparison);
  } catch (error) {
    if (last.manifest.program === next.manifest.program) throw error;
    return { reason: `another program made the dataset before: ${(error as Error).message.split('\n')[0]}` };
  }
}

async function changesOf(
  database: Database,
  last: SealedGeneration,
  { folder, manifest }: SealedGeneration,
  { native, hasLoss, now }: Comparison,
): Promise<Restated | undefined> {
  const previous = last.manifest;
  // Compares only months that were already closed in the current generation. For example, the last month of a short
  // dataset was still open.
  const end = previous.time < manifest.time ? previous.time : manifest.time;
  const closed = firstOpenDay(end);
  const ofTrackedWallets = manifest.own_wallets !== undefined;
  const isOfClosed = ({ path }: ManifestFile) => isClosed(path, closed);
  const ofClosed = COMPARED.map((name) => ({ name, ...changedMonths(name, previous, manifest, isOfClosed) }));
  if (ofClosed.every(({ before, after }) => before.length + after.length === 0)) return undefined;
  // Changed costs of lots that were acquired in closed months also change entries of open months.
  const entries = { name: ENTRIES, ...changedMonths(ENTRIES, previous, manifest) };
  const changed = ofClosed.map((table) => (table.name === ENTRIES ? entries : table));
  const damaged = await damagedFiles(
    last.folder,
    changed.flatMap(({ before }) => before),
  );
  for (const { name, before, after } of changed) {
    const readable = before.filter((file) => !damaged.includes(file));
    const columns = commonColumns(name, previous, manifest);
    await database.attach(name, pathsIn(last.folder, readable), `${name}_before`, columns);
    await database.attach(name, pathsIn(folder, after), `${name}_after`, columns);
  }
  const all = (from: Manifest) => (entries.before.length + entries.after.length === 0 ? [] : filesOf(from, ENTRIES));
  await database.attach(ENTRIES, pathsIn(last.folder, all(previous)), 'all_entries_before');
  await database.attach(ENTRIES, pathsIn(folder, all(manifest)), 'all_entries_after');
  const parameters: Parameters = {
    closed,
    native,
    derivation: SHARE_PRICE_SOURCE,
    end: previous.time,
    first: previous.coverage.first_height,
    last: previous.coverage.last_height,
    holdings_until: previous.holdings_until ?? 0,
    // A dataset that had no rates yet, or did not reach back as far, has not published what is new.
    rates_from: hasTable(previous, RATES) ? addDays(previous.index_start, -RATE_DAYS_BACK) : closed,
    methodology: previous.methodology_version !== manifest.methodology_version,
    // Later state may change figures of single wallets: computed losses, coins held before the index, pruned blocks.
    facts: changedFacts(previous, manifest) ?? (ofTrackedWallets ? 'proof' : null),
    tracked: ofTrackedWallets,
    wallets: ofTrackedWallets ? addressesOf(previous).filter((address) => addressesOf(manifest).includes(address)) : [],
    has_loss: hasLoss,
    generation: previous.generation,
    now: now.toISOString(),
  };
  await database.run('tables/restatements', parameters);
  const lines = await database.all<Line>(readSql('tables/restatement_lines'));
  const total = lines.at(-1)!;
  if (total.figure === '0' && damaged.length === 0) return undefined;
  const causes = total.cause?.split(' ') ?? [];
  return {
    lines: named(lines, damaged),
    isAllowed: damaged.length === 0 && !causes.some((cause) => REFUSED_CAUSES.has(cause)),
    entry: {
      generation_before: previous.generation,
      restated_at: `${now.toISOString().slice(0, 19)}Z`,
      causes,
      figures: Number(total.figure),
      wallets: total.wallets!,
      gains_usd: total.gains!,
    },
  };
}

const addressesOf = ({ own_wallets }: Manifest) => (own_wallets ?? []).map(({ address }) => address);

/**
 * Returns what explains changed rows: another version (but of the methodology), file, starting state or first block;
 * null if all are the same.
 */
function changedFacts(previous: Manifest, next: Manifest): string | null {
  if (previous.classifier_version !== next.classifier_version) return 'classification';
  if (previous.corrections?.sha256 !== next.corrections?.sha256) return 'corrections';
  if (previous.coverage.starting_height !== next.coverage.starting_height) return 'state';
  if (next.coverage.first_height < previous.coverage.first_height) return 'earlier_days';
  return previous.program !== next.program ? 'program' : null;
}

const hasTable = ({ tables }: Manifest, table: string): boolean => tables.some(({ name }) => name === table);

const filesOf = ({ tables }: Pick<Manifest, 'tables'>, table: string): readonly ManifestFile[] =>
  tables.find(({ name }) => name === table)?.files ?? [];

/** Returns the columns that both generations have, because an older version of the program may have written fewer. */
function commonColumns(table: string, ...manifests: readonly Manifest[]): readonly string[] | undefined {
  const [first, ...others] = manifests.map(({ tables }) => tables.find(({ name }) => name === table)?.columns);
  return first
    ?.map(({ name }) => name)
    .filter((column) => others.every((columns) => columns?.some(({ name }) => name === column)));
}

const pathsIn = (folder: string, files: readonly ManifestFile[]) => files.map(({ path }) => join(folder, path));

/** Returns the month in a file's path; '' for a file that is not split by month. */
const monthOf = (path: string): string => /\/(\d{4}-\d\d)(?=[_.])/.exec(path)?.[1] ?? '';

const isClosed = (path: string, closed: string): boolean => monthOf(path) < closed.slice(0, 7);

/** Returns the files of months in which at least one file has changed. @param isCompared leaves out other files */
function changedMonths(
  table: string,
  previous: Manifest,
  next: Manifest,
  isCompared: (file: ManifestFile) => boolean = () => true,
) {
  const [before, after] = [previous, next].map((manifest) => filesOf(manifest, table).filter(isCompared)) as [
    ManifestFile[],
    ManifestFile[],
  ];
  const hashes = (files: readonly ManifestFile[], month: string) =>
    files
      .filter(({ path }) => monthOf(path) === month)
      .map(({ sha256 }) => sha256)
      .join();
  const months = new Set([...before, ...after].map(({ path }) => monthOf(path)));
  const equal = new Set([...months].filter((month) => hashes(before, month) === hashes(after, month)));
  const isChanged = ({ path }: ManifestFile) => !equal.has(monthOf(path));
  return { before: before.filter(isChanged), after: after.filter(isChanged) };
}

async function damagedFiles(folder: string, files: readonly ManifestFile[]): Promise<ManifestFile[]> {
  const damaged: ManifestFile[] = [];
  for (const file of files) {
    if ((await fileSha256(join(folder, file.path)).catch(() => '')) !== file.sha256) damaged.push(file);
  }
  return damaged;
}

interface Line {
  readonly rank: number;
  readonly name: string;
  readonly figure: string;
  readonly figure_before: string | null;
  readonly figure_after: string | null;
  readonly cause: string | null;
  readonly wallets: number | null;
  readonly gains: string | null;
}

const signed = (usd: string) => (usd.startsWith('-') ? `−${usd.slice(1)}` : `+${usd}`);

function named(lines: readonly Line[], damaged: readonly ManifestFile[]): string[] {
  const texts = lines.map(({ name, figure, figure_before, figure_after, cause, wallets, gains, rank }) => {
    const change = `${figure_before ?? 'none'} → ${figure_after ?? 'none'}`;
    const sums = wallets === null ? '' : `, ${wallets} wallets, sum of gains ${signed(gains!)}`;
    if (rank === 2) return `${figure} figures of closed months${sums}`;
    return `${name}${figure === '' ? '' : ` ${figure}`} ${change}${sums} (${cause})`;
  });
  const total = texts.pop()!;
  const more = texts.length > LINES_MAX ? [`and ${texts.length - LINES_MAX} more`] : [];
  const unread = damaged.map(({ path }) => `${path} is damaged, so its figures cannot be compared`);
  return [total, ...unread, ...texts.slice(0, LINES_MAX), ...more];
}

/**
 * Writes the table restatements. It has one file for each generation that changed amounts. The file's name is the id of
 * the generation before it. Files of earlier generations are copied.
 * @param generation the new generation, if it changes amounts
 */
export async function writeRestatements(
  database: Database,
  folder: string,
  last: SealedGeneration | undefined,
  restated: Restated | undefined,
  generation: string,
): Promise<ManifestTable> {
  mkdirSync(join(folder, TABLE));
  const { earlier, added } = restatementFiles(last, restated);
  for (const path of earlier) copyFileSync(join(last!.folder, path), join(folder, path));
  if (restated !== undefined) {
    await database.execute('update restatements set generation_after = $generation', { generation });
  } else if (added !== undefined) await database.create(TABLE);
  if (added !== undefined) await writeTableFile(database, TABLE, join(folder, added));
  return describeTable(database, TABLE, folder);
}

/** Returns the paths of the table's files: those of earlier generations, and the file that the new one adds. */
function restatementFiles(last: SealedGeneration | undefined, restated: Restated | undefined) {
  const earlier = last ? filesOf(last.manifest, TABLE).filter(({ rows }) => rows > 0) : [];
  const added = restated?.entry.generation_before ?? (earlier.length === 0 ? 'all' : undefined);
  return {
    earlier: earlier.map(({ path }) => path),
    added: added === undefined ? undefined : `${TABLE}/${added}.parquet`,
  };
}

/** Describes the table before it is written, because its rows contain the generation's id. */
export function restatementsTable(
  last: SealedGeneration | undefined,
  restated: Restated | undefined,
): Pick<ManifestTable, 'name' | 'description' | 'columns' | 'sorted_by'> & { files: { path: string }[] } {
  const { name, description, columns, sortedBy } = readTable(TABLE);
  const { earlier, added } = restatementFiles(last, restated);
  const paths = added === undefined ? earlier : [...earlier, added];
  const files = [...new Set(paths)].sort().map((path) => ({ path }));
  return { name, description, columns: [...columns], sorted_by: [...sortedBy], files };
}
