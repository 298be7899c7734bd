/** A table as sorted Parquet files of a generation. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ManifestFile, ManifestTable } from '../../schemas/types.generated.js';
import { fileSha256 } from '../disk/atomic-files.js';
import { type Database, readTable } from '../duckdb/database.js';

/** A UTC month of the index and the heights of its blocks. */
export interface Month {
  readonly month: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Writes a table's folder: with `months` one file a month (a past month never changes, so that later generations share it) and one
 * for rows that are not over yet, where a table has such; else one file for all.
 * @param folder of the generation in the making
 * @returns its entry in the manifest
 */
export async function writeTable(
  database: Database,
  name: string,
  folder: string,
  months?: readonly Month[],
): Promise<ManifestTable> {
  for (const { path, part } of partsOf(name, months)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    await database.copy(name, target, part);
  }
  return describeTable(database, name, folder, months);
}

/** Describes a table for the manifest, whichever process wrote its files. */
export async function describeTable(
  database: Database,
  name: string,
  folder: string,
  months?: readonly Month[],
): Promise<ManifestTable> {
  const { description, columns, sortedBy } = readTable(name);
  const paths = partsOf(name, months).map(({ path }) => path);
  const counts = await database.countRows(paths.map((path) => join(folder, path)));
  const files: ManifestFile[] = [];
  for (const [i, path] of paths.entries()) {
    const file = join(folder, path);
    files.push({ path, rows: counts[i]!, bytes: statSync(file).size, sha256: await fileSha256(file) });
  }
  const rows = counts.reduce((sum, count) => sum + count, 0);
  return { name, description, columns: [...columns], sorted_by: [...sortedBy], rows, files };
}

interface TableFile {
  readonly path: string;
  readonly part: Month | 'open' | undefined;
}

const partsOf = (name: string, months: readonly Month[] | undefined): TableFile[] =>
  months ? monthlyParts(name, months, readTable(name).cutBy === 'to_height') : [whole(name)];

const whole = (name: string): TableFile => ({ path: `${name}/all.parquet`, part: undefined });

function monthlyParts(name: string, months: readonly Month[], mayBeOpen: boolean): TableFile[] {
  const parts: TableFile[] = months.map((part) => ({ path: `${name}/${part.month}.parquet`, part }));
  return mayBeOpen ? [...parts, { path: `${name}/open.parquet`, part: 'open' }] : parts;
}
