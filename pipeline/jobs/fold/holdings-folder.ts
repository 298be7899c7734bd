/**
 * What the fold keeps on disk between nights, each folder there whole or not at all:
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

/** Rows that are final, of the blocks from..to. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

export const startFolder = (folder: string) => join(folder, 'start');
export const startFile = (start: string) => join(start, 'start.json');
export const partFolder = (folder: string, from: number, to: number) =>
  join(folder, `${paddedHeight(from)}-${paddedHeight(to)}`);
export const openFolder = (folder: string, height: number) => join(folder, `open-${paddedHeight(height)}`);
export const tableFile = (path: string, table: string) => join(path, `${table}.parquet`);
export const checkpointFile = (path: string) => join(path, 'checkpoint.jsonl');

export function readStart(folder: string): Start | undefined {
  const file = startFile(startFolder(folder));
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The parts there are, in order: each begins where the one before it ends, the first after the starting state. */
export function listParts(folder: string): Part[] {
  return listFolder(folder).flatMap((name) => {
    const match = /^(\d{10,})-(\d{10,})$/.exec(name);
    return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(folder, name) }] : [];
  });
}

/** What to go on from: the last part, or the starting state. */
export function lastCheckpoint(folder: string): { readonly height: number; readonly path: string } {
  const last = listParts(folder).at(-1);
  return last ? { height: last.to, path: last.path } : { height: readStart(folder)!.height, path: startFolder(folder) };
}

/** Removes parts that hold rows of later blocks. A checkpoint is kept of the last part alone, so that all of them go. */
export function dropLater(folder: string, height: number): void {
  const parts = listParts(folder);
  if ((parts.at(-1)?.to ?? 0) > height) for (const { path } of parts) rmSync(path, { recursive: true });
}

/** The folders with all rows as of a height, the starting state's first. */
export const foldedFolders = (folder: string, height: number): string[] => [
  startFolder(folder),
  ...listParts(folder).map(({ path }) => path),
  openFolder(folder, height),
];

/** Removes checkpoints that were gone on from, and open rows of other heights. */
export function tidyHoldings(folder: string, height: number): void {
  for (const { path } of listParts(folder).slice(0, -1)) rmSync(checkpointFile(path), { force: true });
  for (const name of listFolder(folder)) {
    const path = join(folder, name);
    if (name.startsWith('open-') && path !== openFolder(folder, height)) rmSync(path, { recursive: true });
  }
}
