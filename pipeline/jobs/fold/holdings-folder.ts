/**
 * The holdings folder: all that the fold keeps on disk between nights. Each folder in it is there whole or not at all:
 *
 * - `start`: the starting state as a checkpoint, with its balances, deposits and slashes
 * - `<from>-<to>`: the rows that are final after the block `to`, and the checkpoint to go on from
 * - `open-<height>`: the rows as they stood after that block but can still change
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { paddedHeight } from '../../chain/raw-files.js';
import { listFolder } from '../../disk/atomic-files.js';
import type { Start } from '../../holdings/start/start.js';
import type { HoldingsTable } from '../../holdings/state.js';

export const HOLDINGS_TABLES = [
  'delegation_intervals',
  'validator_days',
  'validator_slashes',
  'unbonding_intervals',
  'slash_losses',
] as const satisfies readonly HoldingsTable[];

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

/** Finds the checkpoint to go on from: of the last final rows, or of the starting state. */
export function lastCheckpoint(folder: string): { readonly height: number; readonly path: string } {
  const last = listFinalRows(folder).at(-1);
  return last ? { height: last.to, path: last.path } : { height: readStart(folder)!.height, path: startFolder(folder) };
}

/** Removes final rows where there are some of later blocks. A checkpoint is kept of the last ones alone, so that all of them go. */
export function dropLater(folder: string, height: number): void {
  const finals = listFinalRows(folder);
  if ((finals.at(-1)?.to ?? 0) > height) for (const { path } of finals) rmSync(path, { recursive: true });
}

/** The folders with all rows as of a height, the starting state's first. */
export const foldedFolders = (folder: string, height: number): string[] => [
  startFolder(folder),
  ...listFinalRows(folder).map(({ path }) => path),
  openFolder(folder, height),
];

/** Removes checkpoints that were gone on from, and open rows of other heights. */
export function tidyHoldings(folder: string, height: number): void {
  for (const { path } of listFinalRows(folder).slice(0, -1)) rmSync(checkpointFile(path), { force: true });
  for (const name of listFolder(folder)) {
    const path = join(folder, name);
    if (name.startsWith('open-') && path !== openFolder(folder, height)) rmSync(path, { recursive: true });
  }
}
