/** Rows of a table as a Parquet file that others read: sorted, and in groups of which a reader by URL takes few. */
import type { ManifestFile } from '../../schemas/types.generated.js';
import { type Database, literal, PARQUET, readTable } from './database.js';

/** The rows that go into one file: of block heights, both ends included, or those that are not over yet. */
export type Part = { readonly first: number; readonly last: number } | 'open';

/** Values of the first column that a table is sorted by: above one, up to another. */
interface KeyRange {
  readonly above: string;
  readonly upTo: string;
}

/** Rows of a vector of DuckDB, of which it makes groups. */
const VECTOR = 2048;
/** Rows of a group at the least and at the most, and groups that a file has between the two. */
const [GROUP_ROWS_MIN, GROUP_ROWS_MAX, GROUPS] = [VECTOR, 10 * VECTOR, 10];
/** Keys of a part at the most that get files of their own, so that the names of a month's files have two digits. */
const OWN_FILES_MAX = 24;
/** Long rows that are sorted at a time: of the longest texts they are 120 MB. */
const LONG_ROWS_SORTED = 65_536;
/** Options of files with small groups: on their short pages zstd's first level gives a twentieth less than its default. */
const SLICE = `${PARQUET}, compression_level 1`;

/**
 * Rows of a file's groups. Whoever asks for one wallet gets the file's footer, which each group makes longer, and the groups with that
 * wallet: with ten groups the two together are near the fewest bytes, where a file has some 20,000 rows.
 */
const groupRows = (rows: number): number =>
  Math.min(GROUP_ROWS_MAX, Math.max(GROUP_ROWS_MIN, Math.ceil(rows / GROUPS / VECTOR) * VECTOR));

/**
 * Writes rows of <name> as one Parquet file, in the types and the order of its schema: the same rows give the same bytes.
 * @param count about how many rows these are, where the caller has counted them
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
 * Writes a part as several files, each with about as many rows, and rows of one key in one file. A key with more rows than a group gets
 * a file of its own: whoever asks for it would else take those that share its first and its last group. A view is asked once for all.
 * @param size about how many rows a file has
 * @param pathOf path of a file by its number: 0, 1 …
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
  const ranges = await rangesOf(database, `from "${gathered}"`, key, { size, ownFrom: group + 1 });
  for (const [i, range] of ranges.entries()) {
    const rows = `select * from "${gathered}" where ${within(key, range)} ${order(name)}`;
    await database.execute(`copy (${rows}) to ${literal(pathOf(i))} (${SLICE}, row_group_size ${group})`);
  }
  await database.execute(`drop table "${gathered}"`);
}

/** Counts the rows of a part. */
export async function countPart(database: Database, name: string, part?: Part): Promise<number> {
  const [{ rows } = { rows: 0 }] = await database.all<{ rows: number }>(
    `select count(*) as rows ${source(name, part)}`,
  );
  return rows;
}

const firstKey = (name: string) => `"${readTable(name).sortedBy[0]!}"`;
const order = (name: string) => `order by ${readTable(name).sortedBy.join(', ')}`;

/** The table with the condition of a part, as a query goes on from there. */
function source(name: string, part: Part | undefined): string {
  if (part === undefined) return `from "${name}" where true`;
  const { cutBy } = readTable(name);
  if (part === 'open') return `from "${name}" where "${cutBy}" is null`;
  return `from "${name}" where "${cutBy}" between ${part.first} and ${part.last}`;
}

/** A query of a part's rows in the types of the schema; it ends with a condition. */
function rowsOf(name: string, part: Part | undefined): string {
  const chosen = readTable(name).columns.map(({ name: column, type }) => `"${column}"::${type} as "${column}"`);
  return `select ${chosen.join(', ')} ${source(name, part)}`;
}

const within = (key: string, { above, upTo }: KeyRange) => `${key} > ${literal(above)} and ${key} <= ${literal(upTo)}`;

/**
 * DuckDB holds in memory what it merges when it sorts, which gigabytes of text would exceed: they are sorted slice by slice into a
 * table, which is spilled, and written from there.
 */
async function writeLongRows(database: Database, name: string, path: string, part: Part | undefined): Promise<void> {
  const [rows, key, sorted] = [rowsOf(name, part), firstKey(name), `sorted_${name}`];
  await database.create(name, sorted);
  for (const range of await rangesOf(database, `from (${rows})`, key, { size: LONG_ROWS_SORTED })) {
    await database.execute(`insert into "${sorted}" ${rows} and ${within(key, range)} ${order(name)}`);
  }
  await database.keep(sorted, path);
  await database.execute(`drop table "${sorted}"`);
}

/**
 * Cuts rows at keys, ascending, each piece with about as many of them. Rows of one key are in one piece.
 * @param size rows of a piece
 * @param ownFrom rows with which a key is a piece by itself, the longest first, up to OWN_FILES_MAX of them
 */
async function rangesOf(
  database: Database,
  from: string,
  key: string,
  { size, ownFrom = Number.MAX_SAFE_INTEGER }: { size: number; ownFrom?: number },
): Promise<KeyRange[]> {
  // A run is a key that is a piece by itself, or all keys between two such, which are cut evenly.
  const ends = `with
    counts as (select ${key} as "end", count(*) as rows ${from} group by ${key}),
    own as (select "end" from counts where rows >= ${ownFrom} order by rows desc, "end" limit ${OWN_FILES_MAX}),
    owned as (select *, ("end" in (from own))::integer as is_own from counts),
    runs as (select *, 2 * sum(is_own) over (order by "end") - is_own as run from owned),
    summed as (select *, sum(rows) over (partition by run order by "end") as up_to, sum(rows) over (partition by run) as total from runs),
    pieced as (select *, (total + ${size - 1}) // ${size} as pieces from summed)
    select max("end") as "end" from pieced group by run, (up_to - 1) * pieces // total order by 1`;
  const keys = (await database.all<{ end: string }>(ends)).map(({ end }) => end);
  return keys.map((upTo, i) => ({ above: keys[i - 1] ?? '', upTo }));
}

/** The smallest and the largest key of a file: nothing where the key is no text, or there is no row. */
export type Keys = Partial<Pick<ManifestFile, 'first' | 'last'>>;

/** Reads the first and the last value of the first column that a table is sorted by from the footers of its files. */
export async function firstAndLastKeys(database: Database, name: string, paths: readonly string[]): Promise<Keys[]> {
  const [key] = readTable(name).sortedBy;
  if (readTable(name).columns.find((column) => column.name === key)?.type !== 'VARCHAR') return paths.map(() => ({}));
  const found = await database.all<{ path: string; first: string | null; last: string | null }>(
    `select file_name as path, min(stats_min_value) as first, max(stats_max_value) as last
     from parquet_metadata([${paths.map(literal).join(', ')}]) where path_in_schema = ${literal(key!)} group by all`,
  );
  return paths.map((file) => {
    const { first, last } = found.find(({ path }) => path === file) ?? { first: null, last: null };
    return first === null || last === null ? {} : { first, last };
  });
}
