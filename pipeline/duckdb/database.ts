/**
 * DuckDB for the night: SQL files by name with named parameters, and typed rows in and out. Beside it only column-kinds.ts and
 * data-chunk.ts name a DuckDB type; no TypeScript file holds SQL text beyond what is made from a table's schema, here and in
 * table-file.ts.
 */
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
import { columnKind, kindsOf } from './column-kinds.js';
import { emptyChunk, fillChunk, fillMember } from './data-chunk.js';
import { readTable } from './table.js';

export { readTable, type Table } from './table.js';

/** Rows handed to and taken from DuckDB at a time: its own vector size. */
const CHUNK = 2048;
export const PARQUET = 'format parquet, compression zstd';
/** Rows of a group where a row may be long: DuckDB gathers a group, 8 MB at the most, in memory. */
const LONG_ROWS = 4096;
/** Chunks after which an appender hands its rows over to the table: until then they count for no limit, and cannot be spilled. */
const CHUNKS_A_FLUSH = 8;

/** The text of pipeline/<name>.sql, for example 'tables/priced_events'. */
export function readSql(name: string): string {
  return readFileSync(join(projectRoot(), `pipeline/${name}.sql`), 'utf8');
}

export type Parameters = Record<string, string | number | boolean | readonly string[] | null>;

export interface RowAppender<Row> {
  add(row: Row): void;
  close(): void;
}

/** One connection to a DuckDB in memory. It serves one query at a time: take another beside it, or open another. */
export class Database {
  private constructor(
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly spill: string,
    private readonly isFirst = true,
  ) {}

  /**
   * Opens a database of its own. What does not fit into its memory goes to files, which DuckDB would otherwise make in the working
   * directory, where a service may not write.
   * @param spill folder for those files, below one that is there: no other database's. It is made when it is needed, and removed
   *   when the database is closed
   * @param options.threads cores to use
   */
  static async open(spill: string, options: { threads?: number; memoryLimit?: string } = {}): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(options.threads ?? 2),
      memory_limit: options.memoryLimit ?? '600MB',
      preserve_insertion_order: 'true',
      temp_directory: spill,
    });
    const connection = await instance.connect();
    await connection.run("set global timezone = 'UTC'"); // which decides the day of a time; it would be the machine's
    return new Database(instance, connection, spill);
  }

  /** Opens a second connection to the same tables, to be closed before the first one. */
  async beside(): Promise<Database> {
    return new Database(this.instance, await this.instance.connect(), this.spill, false);
  }

  close(): void {
    this.connection.closeSync();
    if (!this.isFirst) return;
    this.instance.closeSync();
    rmSync(this.spill, { recursive: true, force: true });
  }

  /** Runs pipeline/<name>.sql, which may hold several statements separated by semicolons, with named parameters ($name). */
  async run(name: string, parameters: Parameters = {}): Promise<void> {
    await this.execute(readSql(name), parameters);
  }

  /** Runs SQL text: for statements that are made from a table's schema, and for tests. */
  async execute(sql: string, parameters: Parameters = {}): Promise<void> {
    const statements = await this.connection.extractStatements(sql);
    for (let i = 0; i < statements.count; i++) {
      const prepared = await statements.prepare(i);
      bind(prepared, parameters);
      await prepared.run();
    }
  }

  /** Makes the empty table <as> with the columns of the schema <name>. */
  async create(name: string, as: string = name): Promise<void> {
    const columns = readTable(name).columns.map(({ name: column, type }) => `"${column}" ${type}`);
    await this.execute(`create or replace table "${as}" (${columns.join(', ')})`);
  }

  /**
   * Lets the view <as> read these Parquet files with the columns of the schema <name>; no file is no row.
   * @param columns those that are needed, where files of earlier versions lack others
   */
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

  /** Writes all rows of <name> as one Parquet file in the order in which they were appended: for files that nobody else reads. */
  async keep(name: string, path: string): Promise<void> {
    await this.execute(`copy "${name}" to ${literal(path)} (${PARQUET}, row_group_size ${LONG_ROWS})`);
  }

  /** Counts the rows of each of these Parquet files, as their footers say. */
  async countRows(paths: readonly string[]): Promise<number[]> {
    const list = paths.map(literal).join(', ');
    const files = await this.all<{ path: string; rows: number }>(
      `select file_name as path, num_rows as rows from parquet_file_metadata([${list}])`,
    );
    const rows = new Map(files.map((file) => [file.path, file.rows]));
    return paths.map((path) => rows.get(path)!);
  }

  /** Appends rows, members as the schema <name> types them, to the table <as>. */
  async append<Row>(name: string, rows: Iterable<Row>, as: string = name): Promise<void> {
    const appender = await this.appender<Row>(name, as);
    for (const row of rows) appender.add(row);
    appender.close();
  }

  /** Takes rows one by one for the table <as>; they are all there when it is closed. */
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

  /**
   * Streams rows of a query whose columns are those of the schema <name>, by name: as many arrays as DuckDB gives chunks.
   * The whole result is never held.
   */
  async *rows<Row>(name: string, sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    const kindOf = kindsOf(name);
    for await (const [names, columns] of this.chunks(sql, parameters)) {
      // Copies of one object with all members: setting a member that is there costs a fraction of adding one.
      const blank = Object.fromEntries(names.map((column) => [column, null])) as Record<string, unknown>;
      const rows = columns[0]!.map(() => ({ ...blank }));
      names.forEach((column, i) => {
        fillMember(rows, column, columns[i]!, kindOf(column).decode);
      });
      yield rows as Row[];
    }
  }

  /** Streams rows like `rows`, but one by one: for texts so long that those of a chunk are not to be held at once. */
  async *rowByRow<Row>(name: string, sql: string, parameters: Parameters = {}): AsyncGenerator<Row> {
    const kindOf = kindsOf(name);
    for await (const [names, chunk] of this.fetch(sql, parameters)) {
      for (let i = 0; i < chunk.rowCount; i++) {
        const row = names.map((column, c) => {
          const value = chunk.getColumnVector(c).slice(i, 1).getItem(0); // a vector keeps what it has given
          return [column, value === null ? null : kindOf(column).decode(value as never)];
        });
        yield Object.fromEntries(row) as Row;
      }
    }
  }

  /** Streams every row of the table <name> in the order of its schema, streamed. */
  sorted<Row>(name: string): AsyncGenerator<Row[]> {
    return this.rows<Row>(name, `from "${name}" order by ${readTable(name).sortedBy.join(', ')}`);
  }

  /**
   * Gives all rows of a small query as plain objects; numbers and text only (cast decimals to VARCHAR in the query).
   * @param enough stop after the chunk that brings this many rows
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

/** A text as SQL writes it. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

type Prepared = Awaited<ReturnType<DuckDBConnection['prepare']>>;

/** Binds those of the parameters that the statement names. */
function bind(prepared: Prepared, parameters: Parameters): void {
  for (let i = 1; i <= prepared.parameterCount; i++) {
    const name = prepared.parameterName(i);
    const value = parameters[name];
    if (value === undefined) throw new Error(`the SQL names $${name}, which was not given`);
    if (value === null) prepared.bindNull(i);
    else if (typeof value === 'string') prepared.bindVarchar(i, value);
    else if (typeof value === 'number') prepared.bindBigInt(i, BigInt(value));
    else if (typeof value === 'boolean') prepared.bindBoolean(i, value);
    else prepared.bindList(i, [...value], LIST(VARCHAR));
  }
}
