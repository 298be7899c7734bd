import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestFile, ManifestTable } from '../../schemas/types.generated.js';
import { fileSha256, listFolder } from '../base/disk/atomic-files.js';
import { type Database, readTable } from '../base/duckdb/database.js';
import { countPart, firstAndLastKeys, writeSlices, writeTableFile } from '../base/duckdb/table-file.js';

export interface Month {
  readonly month: string;
  readonly first: number;
  readonly last: number;
}

/** Rows per file of a wallet table, and files per month. */
const FILE_ROWS = 8192;
const MONTH_FILES_MAX = 48;

const WALLET_COLUMNS = ['address', 'delegator'];

/**
 * Writes a table's folder: one file, or with `months` one file per month and one for rows without an end. Files of past
 * months never change, so later generations share them. Long months of wallet rows are split between wallets, so that a
 * reader of one wallet needs one file.
 * @param folder unfinished generation
 * @returns the table's entry in the manifest
 */
export async function writeTable(
  database: Database,
  name: string,
  folder: string,
  months?: readonly Month[],
): Promise<ManifestTable> {
  mkdirSync(join(folder, name), { recursive: true });
  const pathOf = (file: string) => join(folder, name, `${file}.parquet`);
  if (!months) await writeTableFile(database, name, pathOf('all'));
  for (const month of months ?? []) await writeMonth(database, name, month, pathOf);
  if (months && readTable(name).cutBy === 'to_height') await writeTableFile(database, name, pathOf('open'), 'open');
  return describeTable(database, name, folder);
}

/** Writes `2026-03`, or for many wallet rows `2026-03_01`, `2026-03_02` and so on, sorted like their keys. */
async function writeMonth(
  database: Database,
  name: string,
  month: Month,
  pathOf: (file: string) => string,
): Promise<void> {
  const rows = await countPart(database, name, month);
  const isOfWallets = WALLET_COLUMNS.includes(readTable(name).sortedBy[0]!);
  const files = isOfWallets ? Math.min(MONTH_FILES_MAX, Math.ceil(rows / FILE_ROWS)) : 1;
  if (files <= 1) return writeTableFile(database, name, pathOf(month.month), month, rows);
  const pathOfSlice = (i: number) => pathOf(`${month.month}_${String(i + 1).padStart(2, '0')}`);
  await writeSlices(database, name, month, { size: Math.ceil(rows / files), pathOf: pathOfSlice });
}

/** Returns the manifest's entry for a table, whichever process wrote its files. */
export async function describeTable(database: Database, name: string, folder: string): Promise<ManifestTable> {
  const { description, columns, sortedBy } = readTable(name);
  const paths = listFolder(join(folder, name)).map((file) => `${name}/${file}`);
  const inFolder = paths.map((path) => join(folder, path));
  const counts = await database.countRows(inFolder);
  const keys = await firstAndLastKeys(database, name, inFolder);
  const files: ManifestFile[] = [];
  for (const [i, path] of paths.entries()) {
    const file = inFolder[i]!;
    files.push({ path, rows: counts[i]!, bytes: statSync(file).size, sha256: await fileSha256(file), ...keys[i] });
  }
  const rows = counts.reduce((sum, count) => sum + count, 0);
  return { name, description, columns: [...columns], sorted_by: [...sortedBy], rows, files };
}

const FILE_OF_MONTH = /_\d\d(?=\.parquet$)/;

/** Returns the common path of a month's files: `2026-03_01.parquet` → `2026-03.parquet`. */
export const monthPath = (path: string): string => path.replace(FILE_OF_MONTH, '');
