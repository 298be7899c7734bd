/**
 * Writes tables as sorted Parquet files. Row groups are small, so that remote readers need to download little for one
 * wallet.
 */

import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestFile, ManifestTable } from '../../../schemas/types.generated.js';
import { fileSha256, listFolder } from '../disk/atomic-files.js';
import { type Database, literal, PARQUET } from './database.js';
import { readTable } from './table.js';

/** First and last block height of a file's rows, with their month, or 'open' for rows that have not ended. */
type Part = (Omit<Month, 'month'> & Partial<Month>) | 'open';

interface KeyRange {
  readonly above: string;
  readonly upTo: string;
}

const VECTOR = 2048;
const [GROUP_ROWS_MIN, GROUP_ROWS_MAX, GROUPS] = [VECTOR, 10 * VECTOR, 10];
/** Maximum number of keys with a file of their own. File numbers within a month have two digits. */
const SINGLE_KEY_FILES_MAX = 24;
/** Number of long rows that are sorted at once, which needs at most 120 MB. */
const LONG_ROWS_SORTED = 65_536;
/** With row groups this small, compression level 1 gives files 5 % smaller than the default level. */
const SLICE = `${PARQUET}, compression_level 1`;

/**
 * Returns the number of rows per row group. Ten groups per file minimize the download for a wallet. With more groups,
 * the file's footer is larger. With fewer, each group is larger.
 */
const groupRows = (rows: number): number =>
  Math.min(GROUP_ROWS_MAX, Math.max(GROUP_ROWS_MIN, Math.ceil(rows / GROUPS / VECTOR) * VECTOR));

/**
 * Writes a single sorted Parquet file. Equal rows give equal bytes.
 * @param count approximate number of rows
 */
export async function writeTableFile(
  database: Database,
  name: string,
  path: string,
  part?: Part,
  count?: number,
): Promise<void> {
  if (readTable(name).hasLongRows) return writeLongRows(database, name, path, part);
  const size = groupRows(count ?? (await countPart(database, name, part)));
  const rows = `${rowsOf(name, part)} ${order(name)}`;
  await database.execute(`copy (${rows}) to ${literal(path)} (${PARQUET}, row_group_size ${size})`);
}

/**
 * Splits rows into files of about `size` rows. Rows with the same key stay in one file. A key with more rows than a row
 * group gets its own file.
 */
export async function writeSlices(
  database: Database,
  name: string,
  part: Part,
  { size, pathOf }: { size: number; pathOf: (file: number) => string },
): Promise<void> {
  const [gathered, key] = [`part_of_${name}`, firstKey(name)];
  await database.create(name, gathered);
  await database.execute(`insert into "${gathered}" ${rowsOf(name, part)}`);
  const group = readTable(name).hasLongRows ? VECTOR : groupRows(size);
  const ranges = await keyRanges(database, `from "${gathered}"`, key, { size, singleKeyFrom: group + 1 });
  for (const [i, range] of ranges.entries()) {
    const rows = `select * from "${gathered}" where ${within(key, range)} ${order(name)}`;
    await database.execute(`copy (${rows}) to ${literal(pathOf(i))} (${SLICE}, row_group_size ${group})`);
  }
  await database.execute(`drop table "${gathered}"`);
}

async function countPart(database: Database, name: string, part?: Part): Promise<number> {
  const [{ rows } = { rows: 0 }] = await database.all<{ rows: number }>(
    `select count(*) as rows ${source(name, part)}`,
  );
  return rows;
}

/** Counts the rows of all parts in one query, because the table may be a view that is expensive to read. */
async function countParts(database: Database, name: string, parts: readonly Part[]): Promise<number[]> {
  const counts = parts.map((part, i) => `count(*) filter (where ${condition(name, part)}) as "${i}"`);
  const [found] = await database.all<Record<string, number>>(`select ${counts.join(', ')} from "${name}"`);
  return parts.map((_, i) => found![i]!);
}

const firstKey = (name: string) => `"${readTable(name).sortedBy[0]!}"`;
const order = (name: string) => `order by ${readTable(name).sortedBy.join(', ')}`;

function condition(name: string, part: Part | undefined): string {
  if (part === undefined) return 'true';
  const { cutBy } = readTable(name);
  if (part === 'open') return `"${cutBy}" is null`;
  if (cutBy === 'month') return `"month" = ${literal(part.month!)}`;
  return `"${cutBy}" between ${part.first} and ${part.last}`;
}

const source = (name: string, part: Part | undefined) => `from "${name}" where ${condition(name, part)}`;

function rowsOf(name: string, part: Part | undefined): string {
  const chosen = readTable(name).columns.map(({ name: column, type }) => `"${column}"::${type} as "${column}"`);
  return `select ${chosen.join(', ')} ${source(name, part)}`;
}

const within = (key: string, { above, upTo }: KeyRange) => `${key} > ${literal(above)} and ${key} <= ${literal(upTo)}`;

/** Sorts long rows in ranges of keys, because sorting all of them at once would need gigabytes of memory. */
async function writeLongRows(database: Database, name: string, path: string, part: Part | undefined): Promise<void> {
  const [rows, key, sorted] = [rowsOf(name, part), firstKey(name), `sorted_${name}`];
  await database.create(name, sorted);
  for (const range of await keyRanges(database, `from (${rows})`, key, { size: LONG_ROWS_SORTED })) {
    await database.execute(`insert into "${sorted}" ${rows} and ${within(key, range)} ${order(name)}`);
  }
  await database.keep(sorted, path);
  await database.execute(`drop table "${sorted}"`);
}

/**
 * Returns ranges of keys with about `size` rows each. A key with at least `singleKeyFrom` rows gets its own range. This
 * applies to at most SINGLE_KEY_FILES_MAX keys, largest first.
 */
export async function keyRanges(
  database: Database,
  from: string,
  key: string,
  { size, singleKeyFrom = Number.MAX_SAFE_INTEGER }: { size: number; singleKeyFrom?: number },
): Promise<KeyRange[]> {
  // A run is a key that gets its own range, or all keys between two such keys. Runs of several keys are split evenly.
  const ends = `with
    counts as (select ${key} as "end", count(*) as rows ${from} group by ${key}),
    single_keys as (select "end" from counts where rows >= ${singleKeyFrom} order by rows desc, "end" limit ${SINGLE_KEY_FILES_MAX}),
    marked as (select *, ("end" in (from single_keys))::integer as is_single from counts),
    runs as (select *, 2 * sum(is_single) over (order by "end") - is_single as run from marked),
    summed as (select *, sum(rows) over (partition by run order by "end") as up_to, sum(rows) over (partition by run) as total from runs),
    pieced as (select *, (total + ${size - 1}) // ${size} as pieces from summed)
    select max("end") as "end" from pieced group by run, (up_to - 1) * pieces // total order by 1`;
  const keys = (await database.all<{ end: string }>(ends)).map(({ end }) => end);
  return keys.map((upTo, i) => ({ above: keys[i - 1] ?? '', upTo }));
}

/** Reads the number of rows and the first and last key of each file from its Parquet footer. */
async function fileFacts(
  database: Database,
  name: string,
  paths: readonly string[],
): Promise<Pick<ManifestFile, 'rows' | 'first' | 'last'>[]> {
  const [key] = readTable(name).sortedBy;
  const hasTextKey = readTable(name).columns.find((column) => column.name === key)?.type === 'VARCHAR';
  const found = await database.all<{ path: string; rows: number; first: string | null; last: string | null }>(
    `select file_name as path, sum(row_group_num_rows) as rows, min(stats_min_value) as first, max(stats_max_value) as last
     from parquet_metadata([${paths.map(literal).join(', ')}]) where path_in_schema = ${literal(key!)} group by all`,
  );
  return paths.map((file) => {
    // A file without rows has no row groups.
    const { rows, first, last } = found.find(({ path }) => path === file) ?? { rows: 0, first: null, last: null };
    return hasTextKey && first !== null && last !== null ? { rows, first, last } : { rows };
  });
}

export interface Month {
  readonly month: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Number of rows per file of a wallet table. If a month would need more than MONTH_FILES_MAX files, its files have more
 * rows.
 */
const FILE_ROWS = 8192;
const MONTH_FILES_MAX = 48;

const WALLET_COLUMNS = ['address', 'delegator'];

/**
 * Writes a table into its folder. It is a single file or, with `months`, one file per month and one file for rows that
 * have not ended. Later generations reuse the files of past months. In wallet tables, long months are split by wallet,
 * so that all rows of a wallet are in one file.
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
  else {
    const counts = await countParts(database, name, [...months, 'open']);
    for (const [i, month] of months.entries()) await writeMonth(database, name, { month, rows: counts[i]! }, pathOf);
    const open = counts[months.length]!;
    if (readTable(name).cutBy === 'to_height') await writeTableFile(database, name, pathOf('open'), 'open', open);
  }
  return describeTable(database, name, folder);
}

/** Writes the rows of one month, like `writeTable`, but without rows that have not ended. */
export async function writeTableOfMonth(
  database: Database,
  name: string,
  folder: string,
  month: Month,
): Promise<ManifestTable> {
  mkdirSync(join(folder, name), { recursive: true });
  const [rows] = await countParts(database, name, [month]);
  await writeMonth(database, name, { month, rows: rows! }, (file) => join(folder, name, `${file}.parquet`));
  return describeTable(database, name, folder);
}

/** Writes the file `2026-03` or, if a wallet table has many rows, `2026-03_01`, `2026-03_02` and so on. */
async function writeMonth(
  database: Database,
  name: string,
  { month, rows }: { readonly month: Month; readonly rows: number },
  pathOf: (file: string) => string,
): Promise<void> {
  const isOfWallets = WALLET_COLUMNS.includes(readTable(name).sortedBy[0]!);
  const files = isOfWallets ? Math.min(MONTH_FILES_MAX, Math.ceil(rows / FILE_ROWS)) : 1;
  if (files <= 1) return writeTableFile(database, name, pathOf(month.month), month, rows);
  const pathOfSlice = (i: number) => pathOf(`${month.month}_${String(i + 1).padStart(2, '0')}`);
  await writeSlices(database, name, month, { size: Math.ceil(rows / files), pathOf: pathOfSlice });
}

export async function describeTable(database: Database, name: string, folder: string): Promise<ManifestTable> {
  const { description, columns, sortedBy } = readTable(name);
  const paths = listFolder(join(folder, name)).map((file) => `${name}/${file}`);
  const inFolder = paths.map((path) => join(folder, path));
  const facts = await fileFacts(database, name, inFolder);
  const files: ManifestFile[] = [];
  for (const [i, path] of paths.entries()) {
    const file = inFolder[i]!;
    const { rows, ...keys } = facts[i]!;
    files.push({ path, rows, bytes: statSync(file).size, sha256: await fileSha256(file), ...keys });
  }
  const rows = facts.reduce((sum, file) => sum + file.rows, 0);
  return { name, description, columns: [...columns], sorted_by: [...sortedBy], rows, files };
}
