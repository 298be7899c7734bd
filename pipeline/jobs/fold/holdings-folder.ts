/**
 * The holdings folder: all that the fold keeps on disk between nights. Each folder in it is sealed:
 *
 * - `start`: the starting state as a checkpoint, with its balances, deposits and slashes
 * - `<from>-<to>`: a part, the rows that are final after the block `to` but for guesses that stand, and the checkpoint to go on from
 * - `open-<height>`: the rows as they stood after that block but can still change, and why the fold stopped there if it did
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HoldingsStop } from '../../../schemas/types.generated.js';
import { paddedHeight } from '../../chain/raw-files.js';
import { listFolder, removeFolder } from '../../disk/atomic-files.js';
import { damagedFile, removeSealed } from '../../disk/sealed-folder.js';
import type { Database } from '../../duckdb/database.js';
import { writeTableFile } from '../../duckdb/table-file.js';
import type { Start } from '../../holdings/start/start.js';
import type { HoldingsTable, UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';
import { keyOfAll, keyUpTo } from './reviewed-keys.js';

/** The tables that the fold writes. */
export const FOLDED_TABLES = [
  'delegation_spans',
  'reward_ratios',
  'validator_days',
  'validator_slashes',
  'unbonding_intervals',
  'slash_losses',
  'balance_corrections',
] as const satisfies readonly HoldingsTable[];

/**
 * Writes a table's rows into a folder. Ratios of a million delegations are gigabytes of text: they stay in the order in which they were
 * appended, since whoever reads them looks them up.
 */
export async function writeRows(database: Database, table: string, folder: string): Promise<void> {
  if (table === 'reward_ratios') await database.keep(table, tableFile(folder, table));
  else await writeTableFile(database, table, tableFile(folder, table));
}

/** A folder of rows that are final, of the blocks from..to. */
export interface FinalRows {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

export const startFolder = (folder: string) => join(folder, 'start');
export const startFile = (start: string) => join(start, 'start.json');
export const finalFolder = (folder: string, from: number, to: number) =>
  join(folder, `${paddedHeight(from)}-${paddedHeight(to)}`);
export const openFolder = (folder: string, height: number) => join(folder, `open-${paddedHeight(height)}`);
export const tableFile = (path: string, table: string) => join(path, `${table}.parquet`);
export const checkpointFile = (path: string) => join(path, 'checkpoint.jsonl');

const partFactsFile = (path: string) => join(path, 'part.json');
const openFactsFile = (path: string) => join(path, 'open.json');

/** The facts of a part that tell whether it is still needed, and still right. */
export interface PartFacts {
  /** UTC month of its first block, YYYY-MM. */
  readonly month: string;
  /** The upgrades that ran up to its end. */
  readonly upgrades: readonly UpgradePlan[];
  /** Key of the reviewed changes that its rows rest on. */
  readonly reviewed: string;
}

/** The facts of open rows. */
export interface OpenFacts {
  /** Key of all reviewed changes that there were. */
  readonly reviewed: string;
  /** The stop of the fold after them, if it stopped. */
  readonly stop?: HoldingsStop | undefined;
}

const readFacts = (path: string): PartFacts => JSON.parse(readFileSync(partFactsFile(path), 'utf8'));

/** Writes a part's facts into its folder in the making. */
export const writePartFacts = (path: string, facts: PartFacts): void =>
  writeFileSync(partFactsFile(path), JSON.stringify(facts));

/** Writes the facts of open rows into their folder in the making. */
export const writeOpenFacts = (path: string, facts: OpenFacts): void =>
  writeFileSync(openFactsFile(path), JSON.stringify(facts));

const readOpenFacts = (path: string): OpenFacts => JSON.parse(readFileSync(openFactsFile(path), 'utf8'));

export function readStart(folder: string): Start | undefined {
  const file = startFile(startFolder(folder));
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Lists the folders of final rows, in order: each begins where the one before it ends, the first after the starting state. */
export function listFinalRows(folder: string): FinalRows[] {
  return listFolder(folder).flatMap((name) => {
    const match = /^(\d{10,})-(\d{10,})$/.exec(name);
    return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(folder, name) }] : [];
  });
}

/** Finds the checkpoint to go on from, at a height at the most: of the last part, or of the starting state. */
export function lastCheckpoint(
  folder: string,
  most = Number.POSITIVE_INFINITY,
): { readonly height: number; readonly path: string } {
  const last = listFinalRows(folder)
    .filter(({ to }) => to <= most)
    .findLast(hasCheckpoint);
  return last ? { height: last.to, path: last.path } : { height: readStart(folder)!.height, path: startFolder(folder) };
}

const hasCheckpoint = ({ path }: FinalRows) => existsSync(checkpointFile(path));

/** Removes the parts with later blocks, and those before them up to the last one with a checkpoint, from which the fold goes on. */
export function dropLater(folder: string, height: number): void {
  const parts = listFinalRows(folder);
  const kept = parts.filter(({ to }) => to <= height).findLast(hasCheckpoint)?.to ?? 0;
  const dropped = parts.filter(({ to }) => to > kept);
  if (dropped.length > 0) for (const path of listOpenRows(folder)) removeFolder(path);
  for (const { path } of dropped.reverse()) removeFolder(path);
}

/** Removes what rests on a block: open rows, and the parts from the last checkpoint before it on. */
export function dropFrom(folder: string, height: number): void {
  for (const path of listOpenRows(folder)) removeFolder(path);
  dropLater(folder, height - 1);
}

/** Removes what rests on reviewed changes that are others by now; the fold goes on from the last checkpoint before them. */
export function dropOutdated(folder: string, reviewed: ReviewedChanges): void {
  const key = keyOfAll(reviewed);
  for (const path of listOpenRows(folder)) if (readOpenFacts(path).reviewed !== key) removeFolder(path);
  const outdated = listFinalRows(folder).find(({ path, to }) => {
    const facts = readFacts(path);
    return facts.reviewed !== keyUpTo(to, facts.upgrades, reviewed);
  });
  if (outdated) dropLater(folder, outdated.from - 1);
}

/**
 * Removes what is not as it was sealed, and the parts after it: they are folded anew from the checkpoint before.
 * @returns paths of damaged files, and of parts that are missing
 */
export async function dropDamaged(folder: string): Promise<string[]> {
  const damaged: string[] = [];
  for (const path of listOpenRows(folder)) {
    const name = await damagedFile(path);
    if (name === undefined) continue;
    damaged.push(join(path, name));
    removeFolder(path);
  }
  let next = readStart(folder)!.height + 1;
  for (const { from, to, path } of listFinalRows(folder)) {
    const name = from === next ? await damagedFile(path) : 'the part before it';
    next = to + 1;
    if (name === undefined) continue;
    damaged.push(join(path, name));
    dropLater(folder, from - 1);
    break;
  }
  return damaged;
}

const listOpenRows = (folder: string): string[] =>
  listFolder(folder).flatMap((name) => (name.startsWith('open-') ? [join(folder, name)] : []));

/** The height up to which holdings are proved, and why they end before the blocks do. */
export interface FoldEnd {
  readonly until: number;
  readonly stop: HoldingsStop | undefined;
}

/** Finds out where the fold ended on its way to a height; undefined where it has not gone there yet. */
export function foldEnd(folder: string, height: number): FoldEnd | undefined {
  for (const path of listOpenRows(folder)) {
    const { stop } = readOpenFacts(path);
    if (stop && stop.height <= height) return { until: stop.height - 1, stop };
  }
  return existsSync(openFolder(folder, height)) ? { until: height, stop: undefined } : undefined;
}

/** The folders with all rows as of a height, the starting state's first. */
export const foldedFolders = (folder: string, height: number): string[] => [
  startFolder(folder),
  ...listFinalRows(folder).map(({ path }) => path),
  openFolder(folder, height),
];

/** Removes checkpoints but the last one of each month, to which the fold can go back, and open rows of other heights. */
export function tidyHoldings(folder: string, height: number): void {
  const parts = listFinalRows(folder).map(({ path }) => ({ path, month: readFacts(path).month }));
  for (const [i, { path, month }] of parts.entries()) {
    if (parts[i + 1]?.month === month) removeSealed(path, basename(checkpointFile(path)));
  }
  for (const path of listOpenRows(folder)) if (path !== openFolder(folder, height)) removeFolder(path);
}
