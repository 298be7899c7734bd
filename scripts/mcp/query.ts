/** Runs one SELECT of an assistant on the published tables, in a database of its own that can read nothing else. */
import { type DuckDBConnection, DuckDBInstance, type Json, JsonDuckDBValueConverter } from '@duckdb/node-api';
import pLimit from 'p-limit';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { literal } from '../../pipeline/base/duckdb/database.js';
import { CATALOG } from '../../pipeline/publish/generation.js';
import { stranger } from './strangers.js';

export const LIMITS = { rows: 1000, bytes: 1_000_000, seconds: 10, memory: '512MB' } as const;

export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** True if the result has more rows than the limits allow. */
  readonly truncated: boolean;
}

/** DuckDB's reason to refuse a query. It may quote values of the tables. */
export class QueryFault extends Error {}

/** Each query has its own memory, so few run at once. Its seconds begin with its turn. */
const inTurn = pLimit(2);

/** @param folder folder of the generation */
export const runQuery = (sql: string, folder: string, signal: AbortSignal): Promise<QueryResult> =>
  inTurn(() => runNow(sql, folder, signal));

async function runNow(sql: string, folder: string, signal: AbortSignal): Promise<QueryResult> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: LIMITS.memory,
    temp_directory: '',
  });
  const connection = await instance.connect();
  // Repeated, because DuckDB forgets an interrupt that arrives between the phases of a query.
  let interrupting: NodeJS.Timeout | undefined;
  const interrupt = () => {
    interrupting = setInterval(() => connection.interrupt(), 100);
  };
  const timeout = AbortSignal.timeout(LIMITS.seconds * 1000);
  const ended = AbortSignal.any([signal, timeout]);
  try {
    await openCatalog(connection, folder);
    await expectSelect(connection, sql);
    ended.throwIfAborted(); // a signal that is aborted already sends no event
    ended.addEventListener('abort', interrupt);
    return await readResult(connection, sql, ended);
  } catch (error) {
    if (timeout.aborted) throw new ConfigError(`the query was stopped after ${LIMITS.seconds} seconds`);
    if (error instanceof ConfigError) throw error;
    throw new QueryFault((error as Error).message);
  } finally {
    ended.removeEventListener('abort', interrupt);
    clearInterval(interrupting);
    connection.closeSync();
    instance.closeSync();
  }
}

/** Attaches the views of the tables. Then locks the database to the files of the generation. */
async function openCatalog(connection: DuckDBConnection, folder: string): Promise<void> {
  const files = literal(`${folder}/`);
  for (const statement of [
    "set global timezone = 'UTC'",
    `set variable hubledger_files = ${files}`,
    `attach ${literal(`${folder}/${CATALOG}`)} as hub (read_only)`,
    'use hub',
    'set autoinstall_known_extensions = false',
    'set autoload_known_extensions = false',
    `set allowed_directories = [${files}]`,
    'set enable_external_access = false',
    'set lock_configuration = true',
  ])
    await connection.run(statement);
}

/** @throws ConfigError if the text is not exactly one SELECT */
async function expectSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const parsed = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
  const { error, error_type: kind, error_message: message, statements } = JSON.parse(String(parsed.getRows()[0]![0]));
  if (error && kind === 'parser') throw new QueryFault(message);
  if (error) throw new ConfigError('only SELECT is allowed: a query cannot write, attach, copy, set or load anything');
  if (statements.length !== 1) throw new ConfigError('only one statement is allowed');
}

async function readResult(connection: DuckDBConnection, sql: string, ended: AbortSignal): Promise<QueryResult> {
  const result = await connection.stream(sql);
  const types = result.columnTypes().map(String);
  const columns = result.deduplicatedColumnNames().map((name, i) => ({ name, type: types[i]! }));
  const rows: unknown[][] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    ended.throwIfAborted();
    if (!chunk || chunk.rowCount === 0) return { columns, rows, truncated: false };
    for (const values of chunk.convertRows(JsonDuckDBValueConverter)) {
      const row = values.map((value, i) => (/VARCHAR|BLOB|ENUM|JSON/.test(types[i]!) ? markTexts(value) : value));
      bytes += Buffer.byteLength(JSON.stringify(row));
      if (rows.length === LIMITS.rows || bytes > LIMITS.bytes) return { columns, rows, truncated: true };
      rows.push(row);
    }
  }
}

/** Marks every text, because a query can rename columns and build texts from others. */
const markTexts = (value: Json): unknown => (value === null || value === '' ? value : stranger(value));
