/** An in-memory DuckDB database that runs SQL files, and reads and writes typed rows. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { projectRoot } from '../project.js';
import { type ChunkColumn, columnKind, emptyChunk, fillChunk, fillMember, kindsOf } from './columns.js';
import { nodeApi } from './node-api.js';
import { readTable } from './table.js';

const { LIST, VARCHAR } = nodeApi;

const CHUNK = 2048;
export const PARQUET = 'format parquet, compression zstd';
/**
 * Number of rows in a Parquet row group of tables with long rows. DuckDB keeps a whole group in memory, here about 8
 * MB.
 */
const LONG_ROWS = 4096;
/**
 * Rows are flushed after this many chunks. Unflushed rows do not count in DuckDB's memory limit and cannot spill to
 * disk.
 */
const CHUNKS_A_FLUSH = 8;

export function readSql(name: string): string {
  return readFileSync(join(projectRoot(), `pipeline/${name}.sql`), 'utf8');
}

export type Parameters = Record<string, string | number | boolean | readonly string[] | null>;

export interface RowAppender<Row> {
  add(row: Row): void;
  close(): void;
}

/** Name under which the tables of a database are attached to its instance. */
const TABLES = 'tables';

/**
 * Instance of the last closed database of this thread. The next database of the thread reuses it, because starting and
 * ending an instance takes ten times as long as attaching a database.
 */
let idle: DuckDBInstance | undefined;

/** A connection, which runs one query at a time. `beside` opens another connection to the same tables. */
export class Database {
  private constructor(
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly spill: string,
    private readonly isFirst = true,
  ) {}

  /** @param spill folder for temporary files; removed on close */
  static async open(spill: string, options: { threads?: number; memoryLimit?: string } = {}): Promise<Database> {
    const known = idle;
    idle = undefined; // before the next `await`, during which another database may be opened or closed
    const instance = known ?? (await nodeApi.DuckDBInstance.create(':memory:', { preserve_insertion_order: 'true' }));
    const connection = await instance.connect();
    // Without a time zone, DuckDB would use the machine's for dates.
    await connection.run(`
      detach database if exists ${TABLES};
      set global threads = ${options.threads ?? 2};
      set global memory_limit = ${literal(options.memoryLimit ?? '600MB')};
      set global temp_directory = ${literal(spill)};
      set global timezone = 'UTC';
      attach ':memory:' as ${TABLES};
      use ${TABLES}`);
    return new Database(instance, connection, spill);
  }

  /** Opens another connection to the same tables. It must be closed before this one. */
  async beside(): Promise<Database> {
    const connection = await this.instance.connect();
    await connection.run(`use ${TABLES}`);
    return new Database(this.instance, connection, this.spill, false);
  }

  close(): void {
    this.connection.closeSync();
    if (!this.isFirst) return;
    // DuckDB cannot change the folder for temporary files after it has written some.
    if (idle || existsSync(this.spill)) this.instance.closeSync();
    else idle = this.instance;
    rmSync(this.spill, { recursive: true, force: true });
  }

  async run(name: string, parameters: Parameters = {}): Promise<void> {
    await this.execute(readSql(name), parameters);
  }

  async execute(sql: string, parameters: Parameters = {}): Promise<void> {
    const statements = await this.connection.extractStatements(sql);
    for (let i = 0; i < statements.count; i++) {
      const prepared = await statements.prepare(i);
      bind(prepared, parameters);
      await prepared.run();
    }
  }

  /** Runs statements without parameters in one call, which is much faster than many calls. */
  async script(statements: readonly string[]): Promise<void> {
    await this.connection.run(statements.join(';'));
  }

  async create(name: string, as: string = name): Promise<void> {
    const columns = readTable(name).columns.map(({ name: column, type }) => `"${column}" ${type}`);
    await this.execute(`create or replace table "${as}" (${columns.join(', ')})`);
  }

  /**
   * Creates the view `as` over Parquet files.
   * @param columns columns to read; needed if older files lack some of the table's columns
   * @param where condition of the rows
   */
  async attach(
    name: string,
    files: readonly string[],
    as: string = name,
    columns: readonly string[] = readTable(name).columns.map((column) => column.name),
    where = 'true',
  ): Promise<void> {
    if (files.length === 0) {
      const empty = readTable(name).columns.map((column) => `null::${column.type} as "${column.name}"`);
      return this.execute(`create or replace view "${as}" as select ${empty.join(', ')} where false`);
    }
    const chosen = columns.map((column) => `"${column}"`).join(', ');
    const list = files.map(literal).join(', ');
    await this.execute(
      `create or replace view "${as}" as select ${chosen} from read_parquet([${list}]) where ${where}`,
    );
  }

  async keep(name: string, path: string): Promise<void> {
    await this.execute(`copy "${name}" to ${literal(path)} (${PARQUET}, row_group_size ${LONG_ROWS})`);
  }

  async dropView(name: string): Promise<void> {
    await this.execute(`drop view if exists "${name}"`);
  }

  /** Creates a view with all columns of a Parquet file. */
  async view(file: string, as: string): Promise<void> {
    await this.execute(`create or replace view "${as}" as from read_parquet(${literal(file)})`);
  }

  /** Creates the view `as` over the rows of Parquet files and of the table `name`, without duplicates. */
  async accumulate(name: string, files: readonly string[], as: string): Promise<void> {
    const earlier = files.map((file) => `from read_parquet(${literal(file)}) union `);
    await this.execute(`create or replace view "${as}" as ${earlier.join('')}from "${name}"`);
  }

  /** Writes all rows of a table in an order that does not depend on how they were inserted. */
  async keepSorted(name: string, path: string): Promise<void> {
    await this.execute(`copy (from "${name}" order by all) to ${literal(path)} (${PARQUET})`);
  }

  async countRows(paths: readonly string[]): Promise<number[]> {
    const list = paths.map(literal).join(', ');
    const files = await this.all<{ path: string; rows: number }>(
      `select file_name as path, num_rows as rows from parquet_file_metadata([${list}])`,
    );
    const rows = new Map(files.map((file) => [file.path, file.rows]));
    return paths.map((path) => rows.get(path)!);
  }

  async append<Row>(name: string, rows: Iterable<Row>, as: string = name): Promise<void> {
    const appender = await this.appender<Row>(name, as);
    for (const row of rows) appender.add(row);
    appender.close();
  }

  /**
   * Returns an appender. Queries may not see all appended rows until the appender is closed.
   * @param given columns with types or values that the caller defines, by name
   */
  async appender<Row>(
    name: string,
    as: string = name,
    given: Readonly<Record<string, Omit<ChunkColumn<Row>, 'name'>>> = {},
  ): Promise<RowAppender<Row>> {
    const columns = readTable(name).columns.map((column) => ({
      name: column.name,
      ...(given[column.name] ?? columnKind(column.type)),
    }));
    const appender = await this.connection.createAppender(as);
    const chunk = emptyChunk(columns);
    let chunks = 0;
    const flush = (batch: Row[]) => {
      appender.appendDataChunk(fillChunk(chunk, columns, batch));
      if (++chunks % CHUNKS_A_FLUSH === 0) appender.flushSync();
    };
    let batch: Row[] = [];
    return {
      add(row) {
        if (batch.push(row) < CHUNK) return;
        flush(batch);
        batch = [];
      },
      close() {
        if (batch.length > 0) flush(batch);
        appender.closeSync();
      },
    };
  }

  async *rows<Row>(name: string, sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    const kindOf = kindsOf(name);
    for await (const [names, columns] of this.chunks(sql, parameters)) {
      // Rows are copies of an object with all members, because adding members one by one is much slower.
      const blank = Object.fromEntries(names.map((column) => [column, null])) as Record<string, unknown>;
      const rows = columns[0]!.map(() => ({ ...blank }));
      names.forEach((column, i) => {
        fillMember(rows, column, columns[i]!, kindOf(column).decode);
      });
      yield rows as Row[];
    }
  }

  /** Yields rows one by one, because a chunk of rows with very long texts would need too much memory. */
  async *rowByRow<Row>(name: string, sql: string, parameters: Parameters = {}): AsyncGenerator<Row> {
    const kindOf = kindsOf(name);
    for await (const [names, chunk] of this.fetch(sql, parameters)) {
      for (let i = 0; i < chunk.rowCount; i++) {
        const row = names.map((column, c) => {
          const value = chunk.getColumnVector(c).slice(i, 1).getItem(0);
          return [column, value === null ? null : kindOf(column).decode(value as never)];
        });
        yield Object.fromEntries(row) as Row;
      }
    }
  }

  sorted<Row>(name: string): AsyncGenerator<Row[]> {
    return this.rows<Row>(name, `from "${name}" order by ${readTable(name).sortedBy.join(', ')}`);
  }

  /**
   * Returns the rows of a small result. Stops after about `enough` rows. Converts bigint to number, so SQL must cast
   * large integers to VARCHAR.
   */
  async all<Row>(sql: string, parameters: Parameters = {}, enough = Number.POSITIVE_INFINITY): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const [names, columns] of this.chunks(sql, parameters)) {
      if (rows.length >= enough) break;
      columns[0]!.forEach((_, row) => {
        rows.push(
          Object.fromEntries(
            names.map((column, i) => {
              const value = columns[i]![row]!;
              return [column, typeof value === 'bigint' ? Number(value) : value];
            }),
          ) as Row,
        );
      });
    }
    return rows;
  }

  private async *chunks(sql: string, parameters: Parameters): AsyncGenerator<[string[], DuckDBValue[][]]> {
    for await (const [names, chunk] of this.fetch(sql, parameters)) yield [names, chunk.getColumns()];
  }

  private async *fetch(sql: string, parameters: Parameters): AsyncGenerator<[string[], DuckDBDataChunk]> {
    const prepared = await this.connection.prepare(sql);
    bind(prepared, parameters);
    const result = await prepared.stream();
    const names = result.columnNames();
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) return;
      yield [names, chunk];
    }
  }
}

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

type Prepared = Awaited<ReturnType<DuckDBConnection['prepare']>>;

function bind(prepared: Prepared, parameters: Parameters): void {
  for (let i = 1; i <= prepared.parameterCount; i++) {
    const name = prepared.parameterName(i);
    const value = parameters[name];
    if (value === undefined) throw new Error(`the SQL parameter $${name} has no value`);
    if (value === null) prepared.bindNull(i);
    else if (typeof value === 'string') prepared.bindVarchar(i, value);
    else if (typeof value === 'number') prepared.bindBigInt(i, BigInt(value));
    else if (typeof value === 'boolean') prepared.bindBoolean(i, value);
    else prepared.bindList(i, [...value], LIST(VARCHAR));
  }
}
