/** A table as sorted Parquet files of a generation. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestFile, ManifestTable } from '../../schemas/types.generated.js';
import { fileSha256, listFolder } from '../disk/atomic-files.js';
import { type Database, readTable } from '../duckdb/database.js';
import { countPart, firstAndLastKeys, writeSlices, writeTableFile } from '../duckdb/table-file.js';

/** A UTC month of the index and the heights of its blocks. */
export interface Month {
  readonly month: string;
  readonly first: number;
  readonly last: number;
}

/** Rows of a wallets' table at which a month gets a second file, and files that a month has at the most. */
const FILE_ROWS = 8192;
const MONTH_FILES_MAX = 48;

/** First columns of tables that are sorted by wallet. */
const WALLET_COLUMNS = ['address', 'delegator'];

/**
 * Writes a table's folder: with `months` files by month (those of a past month never change, so that later generations share them) and
 * one for rows that are not over yet, where a table has such; else one file for all. A long month of wallets' rows is cut at wallets,
 * so that who wants one wallet need not so much as look into the other files.
 * @param folder of the generation in the making
 * @returns its entry in the manifest
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

/** Writes a month as one file, `2026-03`, or where wallets have many rows as several, `2026-03_01` and so on: names sort as keys do. */
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

/** Describes the files of a table's folder for the manifest, whichever process wrote them. */
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

/** The path that a month's file has where the month is one: what the files of a month have in common. */
export const monthPath = (path: string): string => path.replace(FILE_OF_MONTH, '');
