/** DuckDB with SQL files, named parameters and typed rows. Only SQL generated from schemas is outside of files. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBValue,
  LIST,
  VARCHAR,
} from '@duckdb/node-api';
import { projectRoot } from '../project.js';
import { columnKind, emptyChunk, fillChunk, fillMember, kindsOf } from './column-kinds.js';
import { readTable } from './table.js';

export { readTable, type Table } from './table.js';

const CHUNK = 2048;
export const PARQUET = 'format parquet, compression zstd';
/** Rows per row group if rows may be long; DuckDB buffers a group (8 MB) in memory. */
const LONG_ROWS = 4096;
/** Unflushed chunks ignore the memory limit and cannot be spilled. */
const CHUNKS_A_FLUSH = 8;

/** Reads pipeline/<name>.sql, for example 'tables/priced_events'. */
export function readSql(name: string): string {
  return readFileSync(join(projectRoot(), `pipeline/${name}.sql`), 'utf8');
}

export type Parameters = Record<string, string | number | boolean | readonly string[] | null>;

export interface RowAppender<Row> {
  add(row: Row): void;
  close(): void;
}

/** A connection to an in-memory DuckDB. It runs one query at a time; use `beside` for more. */
export class Database {
  private constructor(
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly spill: string,
    private readonly isFirst = true,
  ) {}

  /**
   * @param spill own folder for temporary files, removed on close. DuckDB's default is the working directory, which may
   * be read-only
   */
  static async open(spill: string, options: { threads?: number; memoryLimit?: string } = {}): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(options.threads ?? 2),
      memory_limit: options.memoryLimit ?? '600MB',
      preserve_insertion_order: 'true',
      temp_directory: spill,
    });
    const connection = await instance.connect();
    await connection.run("set global timezone = 'UTC'"); // the default is the machine's zone, which would shift days
    return new Database(instance, connection, spill);
  }

  /** Opens a second connection to the same tables. Close it before the first. */
  async beside(): Promise<Database> {
    return new Database(this.instance, await this.instance.connect(), this.spill, false);
  }

  close(): void {
    this.connection.closeSync();
    if (!this.isFirst) return;
    this.instance.closeSync();
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

  async create(name: string, as: string = name): Promise<void> {
    const columns = readTable(name).columns.map(({ name: column, type }) => `"${column}" ${type}`);
    await this.execute(`create or replace table "${as}" (${columns.join(', ')})`);
  }

  /** Creates a view `as` over Parquet files. `columns` restricts the columns, if files of older versions lack some. */
  async attach(
    name: string,
    files: readonly string[],
    as: string = name,
    columns: readonly string[] = readTable(name).columns.map((column) => column.name),
  ): Promise<void> {
    if (files.length === 0) return this.create(name, as);
    const chosen = columns.map((column) => `"${column}"`).join(', ');
    const list = files.map(literal).join(', ');
    await this.execute(`create or replace view "${as}" as select ${chosen} from read_parquet([${list}])`);
  }

  async keep(name: string, path: string): Promise<void> {
    await this.execute(`copy "${name}" to ${literal(path)} (${PARQUET}, row_group_size ${LONG_ROWS})`);
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

  /** Returns an appender for the table `as`. All rows are visible after `close`. */
  async appender<Row>(name: string, as: string = name): Promise<RowAppender<Row>> {
    const columns = readTable(name).columns.map((column) => ({
      name: column.name as keyof Row,
      ...columnKind(column.type),
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
      // Copying an object with all members is much faster than adding members.
      const blank = Object.fromEntries(names.map((column) => [column, null])) as Record<string, unknown>;
      const rows = columns[0]!.map(() => ({ ...blank }));
      names.forEach((column, i) => {
        fillMember(rows, column, columns[i]!, kindOf(column).decode);
      });
      yield rows as Row[];
    }
  }

  /** Streams rows one by one, for texts too long to hold a whole chunk. */
  async *rowByRow<Row>(name: string, sql: string, parameters: Parameters = {}): AsyncGenerator<Row> {
    const kindOf = kindsOf(name);
    for await (const [names, chunk] of this.fetch(sql, parameters)) {
      for (let i = 0; i < chunk.rowCount; i++) {
        const row = names.map((column, c) => {
          const value = chunk.getColumnVector(c).slice(i, 1).getItem(0); // a vector caches the values it returns
          return [column, value === null ? null : kindOf(column).decode(value as never)];
        });
        yield Object.fromEntries(row) as Row;
      }
    }
  }

  sorted<Row>(name: string): AsyncGenerator<Row[]> {
    return this.rows<Row>(name, `from "${name}" order by ${readTable(name).sortedBy.join(', ')}`);
  }

  /** Returns all rows of a small query. Cast decimals to VARCHAR. `enough` stops after this many rows. */
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
