/**
 * Makes the catalog of a generation: a DuckDB file with a view of each table, ready queries and macros. Each has its
 * description as a comment. The file depends only on the tables' entries in the manifest, so equal generations have
 * equal bytes. DuckDB 1.2 and later read it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ManifestCatalog, ManifestTable } from '../../../schemas/types.generated.js';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { Database, literal, PARQUET, readSql } from '../../base/duckdb/database.js';
import { projectRoot } from '../../base/project.js';
import { CATALOG } from '../generation.js';
import { ADDRESS_SQL, BLOCK_BYTES, hasWholeField } from './catalog-files.js';

/** What the catalog contains of a table. Sizes are unknown for the table of restatements. */
export type CatalogTable = Pick<ManifestTable, 'name' | 'description' | 'columns' | 'sorted_by'> & {
  readonly files: readonly { readonly path: string; readonly bytes?: number }[];
  readonly rows?: number;
};

interface ReadyQuery {
  readonly name: string;
  readonly sql: string;
  readonly description: string;
  /** Meaning of computed columns by name. Other columns have the description of the table's column. */
  readonly columns: ReadonlyMap<string, string>;
  readonly tables: readonly string[];
}

/** Files of macros below `pipeline/`. The comment of the file describes its last macro. */
const MACROS = ['tables/staked_coins', 'tables/value_usd'];

/**
 * Name of the session variable with the address of the files, such as the generation's folder, for a catalog without
 * an address.
 */
const VARIABLE = 'hubledger_files';

/**
 * Writes the catalog into the folder of a generation.
 * @returns its entry in the manifest
 */
export async function makeCatalog(folder: string, tables: readonly CatalogTable[]): Promise<ManifestCatalog> {
  const path = join(folder, CATALOG);
  // Moves the field within DuckDB's metadata blocks, until one block contains all of it.
  for (let padding = 0; ; padding += PADDING_STEP) {
    if (padding > PADDING_MAX) throw new Error('the address of the files does not fit into one metadata block');
    await writeCatalog(path, tables, padding);
    if (hasWholeField(readFileSync(path))) break;
  }
  return { path: CATALOG, bytes: statSync(path).size, sha256: await fileSha256(path) };
}

/** A block of metadata has 496 bytes of text. */
const [PADDING_STEP, PADDING_MAX] = [48, 480];

async function writeCatalog(path: string, tables: readonly CatalogTable[], padding: number): Promise<void> {
  rmSync(path, { force: true });
  const scratch = `${path}.parts`;
  mkdirSync(scratch);
  const database = await Database.open(join(scratch, 'spill'), { threads: 1 });
  try {
    await database.execute(
      `attach ${literal(path)} as catalog_file (block_size ${BLOCK_BYTES}, storage_version 'v1.0.0')`,
    );
    await database.execute('use catalog_file');
    for (const macros of MACROS) await addMacros(database, macros);
    await database.execute(`create macro files(folder, names) as [${literal(`${scratch}/`)} || folder || '.parquet']`);
    for (const table of tables) await addTable(database, table, scratch);
    for (const query of readyQueries(tables)) await addQuery(database, query, tables);
    await addFileMacros(database, padding);
    await database.execute('use memory');
    await database.execute('detach catalog_file'); // writes the file
  } finally {
    database.close();
    rmSync(scratch, { recursive: true });
  }
}

const commentOn = (database: Database, what: string, text: string): Promise<void> =>
  database.execute(`comment on ${what} is ${literal(text)}`);

async function addMacros(database: Database, file: string): Promise<void> {
  const sql = readSql(file);
  await database.execute(sql);
  const names = [...sql.matchAll(/create or replace macro (\w+)/g)].map(([, name]) => name!);
  const last = names.pop()!;
  const needs = names.length > 0 ? ' Uses other macros: run USE with the name of this catalog first.' : '';
  await commentOn(database, `macro ${last}`, headerOf(sql).join(' ') + needs);
  for (const name of names) await commentOn(database, `macro ${name}`, `Part of ${last}.`);
}

/** The comment with which a file begins. */
const HEADER = /^(?:-- .*\n)*/;

const headerOf = (sql: string): string[] =>
  HEADER.exec(sql)![0]
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice('-- '.length));

/**
 * Creates the view of a table. DuckDB reads the columns of a view when it is created, here from an empty file. So the
 * files of the generation need not exist yet.
 */
async function addTable(database: Database, table: CatalogTable, scratch: string): Promise<void> {
  const { name, columns, sorted_by } = table;
  const empty = columns.map((column) => `null::${column.type} as "${column.name}"`).join(', ');
  if (table.files.length === 0) await database.execute(`create view "${name}" as select ${empty} where false`);
  else {
    const file = join(scratch, `${name}.parquet`);
    await database.execute(`copy (select ${empty} where false) to ${literal(file)} (${PARQUET})`);
    const names = literal(shortNames(table.files.map(({ path }) => basename(path, '.parquet'))));
    await database.execute(`create view "${name}" as from read_parquet(files(${literal(name)}, ${names}))`);
  }
  await commentOn(database, `view "${name}"`, `${table.description} ${sizeOf(table)}`.trimEnd());
  for (const column of columns) {
    const place = sorted_by.indexOf(column.name);
    const key = place === -1 ? '' : ` Sort key ${place + 1} of ${sorted_by.length}.`;
    await commentOn(database, `column "${name}"."${column.name}"`, inSql(column.description) + key);
  }
}

function sizeOf({ rows, files }: CatalogTable): string {
  if (rows === undefined) return '';
  const bytes = files.reduce((sum, file) => sum + file.bytes!, 0);
  const count = files.length === 1 ? 'one file' : `${files.length} files`;
  return `${rows.toLocaleString('en')} rows, ${bytes.toLocaleString('en')} bytes in ${count}.`;
}

/** Removes sentences about TypeScript types from the description of a column. */
const inSql = (description: string): string => description.replace(/ (?:In )?TypeScript [^.]*\./g, '');

/**
 * Writes consecutive names of one month in one word, because a large chain has thousands of files: `2026-03_01
 * 2026-03_02 2026-04` becomes `2026-03*2 2026-04`. The macro `files` expands the word.
 */
export function shortNames(names: readonly string[]): string {
  const words: string[] = [];
  for (const name of names) {
    const [, month, number] = /^(.+)_(\d\d)$/.exec(name) ?? [];
    const before = `${month}*${Number(number) - 1}`;
    if (number === '01') words.push(`${month}*1`);
    else if (words.at(-1) === before) words[words.length - 1] = `${month}*${Number(number)}`;
    else words.push(name);
  }
  return words.join(' ');
}

async function addFileMacros(database: Database, padding: number): Promise<void> {
  const unknown = `set variable ${VARIABLE} to the folder or address of the generation that this catalog is from, with a slash at the end`;
  const address = `coalesce(${ADDRESS_SQL}, getvariable(${literal(VARIABLE)}), error(${literal(unknown)}))`;
  await database.execute(`create macro files_address() as ${address}`);
  await commentOn(database, 'macro files_address', `Address of the generation's files.${' '.repeat(padding)}`);
  await addMacros(database, 'tables/table_files');
}

/** Reads the ready queries whose tables the generation has. */
export function readyQueries(tables: readonly Pick<CatalogTable, 'name'>[]): ReadyQuery[] {
  const published = new Set(tables.map(({ name }) => name));
  return readdirSync(join(projectRoot(), 'pipeline', 'queries'))
    .sort()
    .map((file) => readQuery(basename(file, '.sql')))
    .filter((query) => query.tables.every((name) => published.has(name)));
}

function readQuery(name: string): ReadyQuery {
  const text = readSql(`queries/${name}`);
  const [description, ...columns] = headerOf(text);
  const sql = text.replace(HEADER, '').trim();
  const tables = [...sql.matchAll(/\b(?:from|join) (\w+)/g)].map(([, table]) => table!);
  return {
    name,
    sql,
    description: description!,
    columns: new Map(columns.map((line) => line.split(/: (.*)/s) as [string, string])),
    tables: [...new Set(tables)],
  };
}

async function addQuery(database: Database, query: ReadyQuery, tables: readonly CatalogTable[]): Promise<void> {
  const { name, sql, description, columns } = query;
  await database.execute(`create view ${name} as ${sql}`);
  await commentOn(database, `view ${name}`, description);
  const made = await database.all<{ column_name: string }>(`select column_name from (describe ${name})`);
  const read = tables.filter((table) => query.tables.includes(table.name)).flatMap((table) => table.columns);
  for (const { column_name: column } of made) {
    const words = columns.get(column) ?? read.find((one) => one.name === column)?.description;
    if (words === undefined) throw new Error(`pipeline/queries/${name}.sql describes no column ${column}`);
    await commentOn(database, `column ${name}."${column}"`, inSql(words));
  }
}
