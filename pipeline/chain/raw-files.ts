/**
 * Raw blocks on disk: `raw/<chain id>/<from>-<to>.parquet`, cut at fixed heights. A file is there whole or not at all;
 * which files are there is all the progress there is.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config-error.js';
import { sync } from '../disk/atomic-files.js';

/** Heights of one file: 1–500, 501–1000, … */
const RANGE_HEIGHTS = 500;

/** The blocks of one file, both heights inclusive. */
export interface RawRange {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

/** The last height of the file that a height belongs to. */
export function lastHeightOfRange(height: number): number {
  return Math.ceil(height / RANGE_HEIGHTS) * RANGE_HEIGHTS;
}

const NAME = /^(\d{10,})-(\d{10,})\.parquet$/;

/** A height as file names have it: ten digits, so that their order as text is that of the heights. */
export const paddedHeight = (height: number) => String(height).padStart(10, '0');

/** @throws ConfigError for an id that is no file name */
export function rawFolder(dataDir: string, chainId: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(chainId)) {
    throw new ConfigError(`${JSON.stringify(chainId)} is no chain id: letters, digits, '.', '_' and '-' only`);
  }
  return join(dataDir, 'raw', chainId);
}

/** The files of a folder in ascending order, one that lies within another left out. A folder that is not there has none. */
export function listRanges(folder: string): RawRange[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const all = names.flatMap((name) => {
    const match = NAME.exec(name);
    return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(folder, name) }] : [];
  });
  all.sort((a, b) => a.from - b.from || b.to - a.to);
  return all.filter((range, i) => !all.slice(0, i).some((other) => other.to >= range.to));
}

/** Removes what a killed run left: unfinished files, and files whose blocks are all in another. Makes the folder. */
export function tidyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const kept = new Set(listRanges(folder).map((range) => range.path));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.tmp') || (NAME.test(name) && !kept.has(path))) rmSync(path);
  }
}

/**
 * Puts the file of from..to into the folder whole: written under a temporary name, synced, renamed; then removes the
 * files whose blocks it took over. A kill at any point leaves the old files, or the new one, or both.
 */
export async function placeRange(
  folder: string,
  from: number,
  to: number,
  replaced: readonly RawRange[],
  write: (path: string) => Promise<unknown>,
): Promise<RawRange> {
  const path = join(folder, `${paddedHeight(from)}-${paddedHeight(to)}.parquet`);
  const temporary = `${path}.tmp`;
  await write(temporary);
  sync(temporary);
  renameSync(temporary, path);
  sync(folder);
  for (const range of replaced) if (range.path !== path) rmSync(range.path);
  return { from, to, path };
}
