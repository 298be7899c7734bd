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
import { ADDRESS_SQL, BLOCK_BYTES, hasWholeField, METADATA_TEXT, placeOfCutField } from './catalog-files.js';

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
  for (let padding = 0; ; ) {
    if (padding > PADDING_MAX) throw new Error('the address of the files does not fit into one metadata block');
    await writeCatalog(path, tables, padding);
    const catalog = readFileSync(path);
    if (hasWholeField(catalog)) break;
    padding = nextPadding(padding, placeOfCutField(catalog));
  }
  return { path: CATALOG, bytes: statSync(path).size, sha256: await fileSha256(path) };
}

const [PADDING_STEP, PADDING_MAX] = [48, 480];

/** Returns the least padding that moves the field to the beginning of the next metadata block. */
function nextPadding(padding: number, place = METADATA_TEXT): number {
  let next = padding + PADDING_STEP;
  while (place + bytesOf(addressComment(next)) - bytesOf(addressComment(padding)) < METADATA_TEXT) next += PADDING_STEP;
  return next;
}

/** DuckDB writes the length of a text before the text, up to 127 in one byte. */
const bytesOf = (text: string): number => text.length + (text.length > 127 ? 2 : 1);

const addressComment = (padding: number): string => `Address of the generation's files.${' '.repeat(padding)}`;

/**
 * Writes the file. Each view and macro begins a script, because DuckDB stores the places of its words in the text of the
 * script. Comments follow in the same script, because a call for each comment takes three times as long.
 */
async function writeCatalog(path: string, tables: readonly CatalogTable[], padding: number): Promise<void> {
  rmSync(path, { force: true });
  const scratch = `${path}.parts`;
  mkdirSync(scratch);
  const database = await Database.open(join(scratch, 'spill'), { threads: 1 });
  const queries = readyQueries(tables);
  try {
    await database.script([
      `attach ${literal(path)} as catalog_file (block_size ${BLOCK_BYTES}, storage_version 'v1.0.0')`,
      'use catalog_file',
      'begin', // one transaction, because DuckDB syncs its log to disk at the end of each
      ...tables.map((table) => `copy (${emptyRows(table)}) to ${literal(fileOf(table, scratch))} (${PARQUET})`),
    ]);
    for (const file of MACROS) await database.script(macros(file));
    await database.script([filesMacro(scratch)]);
    for (const table of tables) await database.script(viewOf(table));
    for (const { name, sql } of queries) await database.script([`create view ${name} as ${sql}`]);
    const made = await database.all<MadeColumn>(
      'select table_name, column_name from duckdb_columns() order by table_oid, column_index',
    );
    await database.script(queries.flatMap((query) => queryComments(query, tables, made)));
    await database.script(addressMacro(padding));
    await database.script(macros('tables/table_files'));
    await database.script(['commit', 'use memory', 'detach catalog_file']); // detach writes the file
  } finally {
    database.close();
    rmSync(scratch, { recursive: true });
  }
}

interface MadeColumn {
  readonly table_name: string;
  readonly column_name: string;
}

const commentOn = (what: string, text: string): string => `comment on ${what} is ${literal(text)}`;

function macros(file: string): string[] {
  const sql = readSql(file);
  const names = [...sql.matchAll(/create or replace macro (\w+)/g)].map(([, name]) => name!);
  const last = names.pop()!;
  const needs = names.length > 0 ? ' Uses other macros: run USE with the name of this catalog first.' : '';
  return [
    sql.trimEnd().replace(/;$/, ''),
    commentOn(`macro ${last}`, headerOf(sql).join(' ') + needs),
    ...names.map((name) => commentOn(`macro ${name}`, `Part of ${last}.`)),
  ];
}

/** The comment with which a file begins. */
const HEADER = /^(?:-- .*\n)*/;

const headerOf = (sql: string): string[] =>
  HEADER.exec(sql)![0]
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice('-- '.length));

const emptyRows = ({ columns }: CatalogTable): string =>
  `select ${columns.map((column) => `null::${column.type} as "${column.name}"`).join(', ')} where false`;

const fileOf = ({ name }: CatalogTable, scratch: string): string => join(scratch, `${name}.parquet`);

/** DuckDB reads the columns of a view when it is created, here from an empty file, because later files do not exist yet. */
const filesMacro = (scratch: string): string =>
  `create macro files(folder, names) as [${literal(`${scratch}/`)} || folder || '.parquet']`;

function viewOf(table: CatalogTable): string[] {
  const { name, columns, sorted_by, files } = table;
  const names = literal(shortNames(files.map(({ path }) => basename(path, '.parquet'))));
  const rows = files.length === 0 ? emptyRows(table) : `from read_parquet(files(${literal(name)}, ${names}))`;
  return [
    `create view "${name}" as ${rows}`,
    commentOn(`view "${name}"`, `${table.description} ${sizeOf(table)}`.trimEnd()),
    ...columns.map((column) => {
      const place = sorted_by.indexOf(column.name);
      const key = place === -1 ? '' : ` Sort key ${place + 1} of ${sorted_by.length}.`;
      return commentOn(`column "${name}"."${column.name}"`, inSql(column.description) + key);
    }),
  ];
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

function addressMacro(padding: number): string[] {
  const unknown = `set variable ${VARIABLE} to the folder or address of the generation that this catalog is from, with a slash at the end`;
  const address = `coalesce(${ADDRESS_SQL}, getvariable(${literal(VARIABLE)}), error(${literal(unknown)}))`;
  return [`create macro files_address() as ${address}`, commentOn('macro files_address', addressComment(padding))];
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

function queryComments(
  { name, tables: readTables, description, columns }: ReadyQuery,
  tables: readonly CatalogTable[],
  made: readonly MadeColumn[],
): string[] {
  const read = tables.filter((table) => readTables.includes(table.name)).flatMap((table) => table.columns);
  const comments = made
    .filter(({ table_name }) => table_name === name)
    .map(({ column_name: column }) => {
      const words = columns.get(column) ?? read.find((one) => one.name === column)?.description;
      if (words === undefined) throw new Error(`pipeline/queries/${name}.sql describes no column ${column}`);
      return commentOn(`column ${name}."${column}"`, inSql(words));
    });
  return [commentOn(`view ${name}`, description), ...comments];
}
