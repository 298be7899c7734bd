/**
 * Results of the fold on disk, in sealed folders:
 * - `start`: the starting state as a checkpoint, with balances, deposits and slashes
 * - `<from>-<to>`: final rows of these blocks (unless a standing guess proves wrong), and a checkpoint
 * - `open-<height>`: rows after that block that may still change, and why the fold stopped
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HoldingsStop } from '../../../../schemas/types.generated.js';
import { listFolder, removeFolder } from '../../../base/disk/atomic-files.js';
import { damagedFile, removeSealed } from '../../../base/disk/sealed-folder.js';
import type { Database } from '../../../base/duckdb/database.js';
import { writeTableFile } from '../../../base/duckdb/table-file.js';
import { paddedHeight } from '../../../chain/raw-files.js';
import type { Start } from '../../../holdings/start/starting-state.js';
import type { HoldingsTable, UpgradePlan } from '../../../holdings/state.js';
import type { ReviewedChanges } from '../../../holdings/state-changes.js';

export const FOLDED_TABLES = [
  'delegation_spans',
  'reward_ratios',
  'validator_days',
  'validator_slashes',
  'unbonding_intervals',
  'slash_losses',
  'balance_corrections',
] as const satisfies readonly HoldingsTable[];

/** Low limit, because the state needs the memory; waiting rows are spilled. */
export const ROWS_DATABASE = { threads: 1, memoryLimit: '200MB' };

/** Writes reward ratios unsorted, because they may be gigabytes and readers look them up by key. */
export async function writeRows(database: Database, table: string, folder: string): Promise<void> {
  if (table === 'reward_ratios') await database.keep(table, tableFile(folder, table));
  else await writeTableFile(database, table, tableFile(folder, table));
}

interface FinalRows {
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

interface PartFacts {
  /** UTC month of its first block. */
  readonly month: string;
  readonly upgrades: readonly UpgradePlan[];
  /** Key of the reviewed changes up to its end. */
  readonly reviewed: string;
}

interface OpenFacts {
  readonly reviewed: string;
  /** Why the fold stopped after these rows. */
  readonly stop?: HoldingsStop | undefined;
}

const readFacts = (path: string): PartFacts => JSON.parse(readFileSync(partFactsFile(path), 'utf8'));

export function writePartFacts(
  path: string,
  { month, to, upgrades }: Pick<PartFacts, 'month' | 'upgrades'> & { readonly to: number },
  reviewed: ReviewedChanges,
): void {
  const facts: PartFacts = { month, upgrades, reviewed: keyUpTo(to, upgrades, reviewed) };
  writeFileSync(partFactsFile(path), JSON.stringify(facts));
}

export function writeOpenFacts(path: string, stop: HoldingsStop | undefined, reviewed: ReviewedChanges): void {
  const facts: OpenFacts = { reviewed: keyOfAll(reviewed), stop };
  writeFileSync(openFactsFile(path), JSON.stringify(facts));
}

const readOpenFacts = (path: string): OpenFacts => JSON.parse(readFileSync(openFactsFile(path), 'utf8'));

export function readStart(folder: string): Start | undefined {
  const file = startFile(startFolder(folder));
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** In order; contiguous from the starting state on. */
export function listFinalRows(folder: string): FinalRows[] {
  return listFolder(folder).flatMap((name) => {
    const match = /^(\d{10,})-(\d{10,})$/.exec(name);
    return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(folder, name) }] : [];
  });
}

export function lastCheckpoint(
  folder: string,
  max = Number.POSITIVE_INFINITY,
): { readonly height: number; readonly path: string } {
  const last = listFinalRows(folder)
    .filter(({ to }) => to <= max)
    .findLast(hasCheckpoint);
  return last ? { height: last.to, path: last.path } : { height: readStart(folder)!.height, path: startFolder(folder) };
}

const hasCheckpoint = ({ path }: FinalRows) => existsSync(checkpointFile(path));

/** Removes parts with later blocks, and earlier parts without a checkpoint to continue from. */
export function dropLater(folder: string, height: number): void {
  const parts = listFinalRows(folder);
  const kept = parts.filter(({ to }) => to <= height).findLast(hasCheckpoint)?.to ?? 0;
  const dropped = parts.filter(({ to }) => to > kept);
  if (dropped.length > 0) for (const path of listOpenRows(folder)) removeFolder(path);
  for (const { path } of dropped.reverse()) removeFolder(path);
}

export function dropFrom(folder: string, height: number): void {
  for (const path of listOpenRows(folder)) removeFolder(path);
  dropLater(folder, height - 1);
}

/** Removes rows based on outdated reviewed changes. */
export function dropOutdated(folder: string, reviewed: ReviewedChanges): void {
  const key = keyOfAll(reviewed);
  for (const path of listOpenRows(folder)) if (readOpenFacts(path).reviewed !== key) removeFolder(path);
  const outdated = listFinalRows(folder).find(({ path, to }) => {
    const facts = readFacts(path);
    return facts.reviewed !== keyUpTo(to, facts.upgrades, reviewed);
  });
  if (outdated) dropLater(folder, outdated.from - 1);
}

/** Removes damaged folders and all later parts. Returns their paths. */
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

/** `until`: last height with proved holdings. `stop`: why they end earlier than the blocks. */
export interface FoldEnd {
  readonly until: number;
  readonly stop: HoldingsStop | undefined;
}

/** Returns undefined if the fold has not yet reached the height. */
export function foldEnd(folder: string, height: number): FoldEnd | undefined {
  for (const path of listOpenRows(folder)) {
    const { stop } = readOpenFacts(path);
    if (stop && stop.height <= height) return { until: stop.height - 1, stop };
  }
  return existsSync(openFolder(folder, height)) ? { until: height, stop: undefined } : undefined;
}

export const foldedFolders = (folder: string, height: number): string[] => [
  startFolder(folder),
  ...listFinalRows(folder).map(({ path }) => path),
  openFolder(folder, height),
];

/** Keeps only the last checkpoint of each month, and open rows of this height. */
export function tidyHoldings(folder: string, height: number): void {
  const parts = listFinalRows(folder).map(({ path }) => ({ path, month: readFacts(path).month }));
  for (const [i, { path, month }] of parts.entries()) {
    if (parts[i + 1]?.month === month) removeSealed(path, basename(checkpointFile(path)));
  }
  for (const path of listOpenRows(folder)) if (path !== openFolder(folder, height)) removeFolder(path);
}

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** @param ran upgrades up to `to`; future upgrades have no effect yet */
function keyUpTo(to: number, ran: readonly UpgradePlan[], { upgrades, corrections }: ReviewedChanges): string {
  const known = new Map(upgrades.map(({ name, changes }) => [name, changes]));
  return hashOf([
    ran.map(({ name, height }) => [height, name, known.get(name) ?? null]),
    corrections.filter(({ height }) => height <= to).map(({ height, what }) => [height, what]),
  ]);
}

const keyOfAll = (reviewed: ReviewedChanges): string => hashOf(reviewed);
