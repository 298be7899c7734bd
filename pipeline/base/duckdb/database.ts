/**
 * An in-memory DuckDB database that runs SQL files, and reads and writes typed rows. Rows are written as data chunks,
 * which is twice as fast as writing single values with node-api. Invalid values are rejected here, because DuckDB does
 * not check the bytes of a chunk.
 */

import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  DuckDBInstance,
  type DuckDBListValue,
  type DuckDBStructValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  STRUCT,
  TIMESTAMP,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { projectRoot } from '../project.js';
import { DAY_MS, dayOf, startOf } from '../values/day.js';
import { readTable } from './table.js';

// By default, node-api drops a byte order mark at the start of a text. Texts, such as memos, must not change.
createRequire(import.meta.url)('@duckdb/node-api/lib/vectors/dataAccessors.js').textDecoder = new TextDecoder('utf-8', {
  ignoreBOM: true,
});

type Vector = ReturnType<typeof duckdb.data_chunk_get_vector>;

/** Writes the values of one column. Ignores values at null positions. */
type Fill<Value> = (vector: Vector, values: readonly (Value | null)[]) => void;

export interface ChunkColumn<Row> {
  readonly name: keyof Row;
  readonly type: DuckDBType;
  readonly fill: Fill<never>;
}

export function emptyChunk<Row>(columns: readonly ChunkColumn<Row>[]): DuckDBDataChunk {
  return DuckDBDataChunk.create(columns.map(({ type }) => type));
}

/**
 * Replaces a chunk's rows. Reusing chunks halves the memory for a million rows, because native memory is freed only at
 * the next await.
 * @throws Error that names the column of an invalid value
 */
export function fillChunk<Row>(
  chunk: DuckDBDataChunk,
  columns: readonly ChunkColumn<Row>[],
  rows: readonly Row[],
): DuckDBDataChunk {
  chunk.reset();
  chunk.rowCount = rows.length;
  columns.forEach(({ name, fill }, i) => {
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, i);
    const values = rows.map((row) => row[name]) as never[];
    try {
      fill(vector, values);
    } catch (error) {
      throw new Error(`column ${String(name)}: ${(error as Error).message}`, { cause: error });
    }
    markNulls(vector, values);
  });
  return chunk;
}

function copyInto(vector: Vector, { buffer, byteLength }: { buffer: ArrayBuffer; byteLength: number }): void {
  duckdb.copy_data_to_vector(vector, 0, buffer, 0, byteLength);
}

const maskBytes = (count: number) => 8 * Math.ceil(count / 64);

/** Writes the validity mask, in which a set bit means that the value is not null. */
function markNulls(vector: Vector, values: readonly unknown[]): void {
  let bits: Uint32Array<ArrayBuffer> | undefined;
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) continue;
    bits ??= new Uint32Array(maskBytes(values.length) / 4).fill(0xffffffff);
    bits[i >> 5]! &= ~(1 << (i & 31));
  }
  if (!bits) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength);
}

function refuse(value: unknown, expected: string): never {
  throw new RangeError(`${typeof value === 'string' ? JSON.stringify(value) : String(value)} is not ${expected}`);
}

const fillBooleans: Fill<boolean> = (vector, values) => {
  const bytes = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] === null ? false : values[i];
    if (typeof value !== 'boolean') refuse(value, 'a boolean');
    bytes[i] = value ? 1 : 0;
  }
  copyInto(vector, bytes);
};

const fillIntegers: Fill<number> = (vector, values) => {
  const numbers = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] === null ? 0 : values[i];
    if (value !== ((value as number) | 0)) refuse(value, 'an integer of 32 bits');
    numbers[i] = value;
  }
  copyInto(vector, numbers);
};

const fillBigints: Fill<number> = (vector, values) => {
  const numbers = new BigInt64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] === null ? 0 : values[i];
    if (!Number.isSafeInteger(value)) refuse(value, 'an integer below 2^53');
    numbers[i] = BigInt(value as number);
  }
  copyInto(vector, numbers);
};

const DECIMAL_LIMIT = 10n ** 38n;

const fillDecimals: Fill<bigint> = (vector, values) => {
  const halves = new BigInt64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] === null ? 0n : values[i];
    if (typeof value !== 'bigint' || value >= DECIMAL_LIMIT || value <= -DECIMAL_LIMIT) {
      refuse(value, 'a bigint of at most 38 digits');
    }
    halves[2 * i] = value;
    halves[2 * i + 1] = value >> 64n;
  }
  copyInto(vector, halves);
};

/** Keeps the last parsed time, because consecutive rows often have the same time. */
const fillTimestamps: Fill<string> = (vector, values) => {
  const microseconds = new BigInt64Array(values.length);
  let text: string | null = null;
  let time = 0n;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value !== null && value !== text) {
      const milliseconds = Date.parse(`${String(value).replace(' ', 'T')}Z`);
      if (Number.isNaN(milliseconds)) refuse(value, 'a time as YYYY-MM-DD hh:mm:ss');
      [text, time] = [value, BigInt(milliseconds) * 1000n];
    }
    microseconds[i] = time;
  }
  copyInto(vector, microseconds);
};

const fillDates: Fill<string> = (vector, values) => {
  const days = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (values[i] === null) continue;
    const day = startOf(values[i]!) / DAY_MS;
    if (!Number.isInteger(day)) refuse(values[i], 'a day as YYYY-MM-DD');
    days[i] = day;
  }
  copyInto(vector, days);
};

/** Rejects invalid UTF-8. DuckDB would set such a text to null without an error, so the null mask is checked. */
export const fillTexts: Fill<string> = (vector, values) => {
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) duckdb.vector_assign_string_element(vector, i, values[i]!);
  }
  const mask = duckdb.vector_get_validity(vector, maskBytes(values.length));
  if (!mask) return;
  const refused = values.findIndex((value, i) => value !== null && !duckdb.validity_row_is_valid(mask, i));
  if (refused !== -1) refuse(values[refused], 'a text that DuckDB accepts');
};

function fillLists<Item>(
  vector: Vector,
  lists: readonly (readonly Item[] | null)[],
  fillItems: (vector: Vector, items: readonly Item[]) => void,
): void {
  const places = new BigInt64Array(2 * lists.length);
  const items: Item[] = [];
  lists.forEach((list, i) => {
    if (list === null) return;
    places[2 * i] = BigInt(items.length);
    places[2 * i + 1] = BigInt(list.length);
    for (const item of list) items.push(item);
  });
  duckdb.list_vector_reserve(vector, items.length);
  fillItems(duckdb.list_vector_get_child(vector), items);
  duckdb.list_vector_set_size(vector, items.length);
  copyInto(vector, places);
}

const fillTextLists: Fill<readonly string[]> = (vector, values) => {
  for (const list of values) {
    if (list !== null && !Array.isArray(list)) refuse(list, 'a list of texts');
    for (const text of list ?? []) if (text === null) refuse(text, 'a text of a list');
  }
  fillLists(vector, values, fillTexts);
};

function fillMember(
  rows: Record<string, unknown>[],
  member: string,
  column: readonly DuckDBValue[],
  decode: (value: never) => unknown,
): void {
  for (let i = 0; i < rows.length; i++) {
    const value = column[i]!;
    if (value !== null) rows[i]![member] = decode(value as never);
  }
}

interface ColumnKind extends Omit<ChunkColumn<never>, 'name'> {
  readonly decode: (value: never) => unknown;
}

const timeOf = ({ micros }: DuckDBTimestampValue | DuckDBTimestampTZValue) => {
  const text = new Date(Number(micros / 1000n)).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
};
const asIs = (value: never) => value;
const decimal = (scale: number): ColumnKind => ({
  type: DECIMAL(38, scale),
  fill: fillDecimals,
  decode: (value: DuckDBDecimalValue) => value.value,
});

interface Member<Item> {
  readonly type: DuckDBType;
  readonly fill: Fill<never>;
  readonly of: (item: Item) => string | bigint | null;
}

type Members<Item> = Readonly<Record<string, Member<Item>>>;

function fillStructs<Item>(vector: Vector, items: readonly Item[], members: Members<Item>): void {
  Object.values(members).forEach(({ fill, of }, i) => {
    const child = duckdb.struct_vector_get_child(vector, i);
    const values = items.map(of);
    fill(child, values as never[]);
    markNulls(child, values);
  });
}

function structLists<Item>(
  members: Members<Item>,
  parse: (text: string) => readonly Item[],
  format: (items: readonly DuckDBStructValue['entries'][]) => string,
) {
  const types = Object.fromEntries(Object.entries(members).map(([name, { type }]) => [name, type]));
  const fill: Fill<string> = (vector, texts) =>
    fillLists(
      vector,
      texts.map((text) => (text === null ? null : parse(text))),
      (child, items) => fillStructs(child, items, members),
    );
  const decode = (value: DuckDBListValue | string) =>
    typeof value === 'string' ? value : format((value.items as DuckDBStructValue[]).map(({ entries }) => entries));
  return { type: LIST(STRUCT(types)), fill, decode };
}

interface Coin {
  readonly denom: string;
  readonly units: bigint | null;
}

const UNITS_LIMIT = 10n ** 38n;

const COIN = /^(\d+)(?:\.(\d+))?(\D.*)$/s;

/** Parses coins with exactly `places` decimal places: '15uatom,7stake' or, with 18, '1.500000000000000000uatom'. */
function parseCoins(text: string, places: number): Coin[] {
  if (text === '') return [];
  return text.split(',').map((coin) => {
    const [, whole, fraction = '', denom] = COIN.exec(coin) ?? [];
    if (denom === undefined || fraction.length !== places) {
      throw new RangeError(`${JSON.stringify(coin)} is not a coin with ${places} decimal places`);
    }
    const units = BigInt(`${whole}${fraction}`);
    return { denom, units: units < UNITS_LIMIT ? units : null };
  });
}

function formatUnits(units: bigint, places: number): string {
  if (places === 0) return String(units);
  const digits = String(units).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Writes lists of coins. An amount of more than 38 digits is stored as null, and readers omit such a coin. */
const coinLists = (member: string, places: number) =>
  structLists<Coin>(
    {
      denom: { type: VARCHAR, fill: fillTexts, of: ({ denom }) => denom },
      [member]: { type: DECIMAL(38, places), fill: fillDecimals, of: ({ units }) => units },
    },
    (text) => parseCoins(text, places),
    (coins) =>
      coins
        .filter((coin) => coin[member] !== null)
        .map((coin) => `${formatUnits((coin[member] as { value: bigint }).value, places)}${coin.denom}`)
        .join(),
  );

/**
 * `acquired` is a day, '' for opening coins, or null if there was no lot. Quantities are base units, USD amounts cents.
 */
type Slice = readonly [acquired: string | null, quantity: string, basis: string | null, proceeds: string | null];

const heldAs = ([acquired]: Slice) => (acquired === null ? 'none' : acquired === '' ? 'opening' : 'lot');
const amount = (text: string | null) => (text === null ? null : BigInt(text));

type Cell = { readonly value: bigint } | null;
const cell = (value: Cell) => (value === null ? null : String(value.value));

const ACQUIRED = { opening: '', none: null };

const sliceLists = structLists<Slice>(
  {
    held: { type: VARCHAR, fill: fillTexts, of: heldAs },
    acquired: { type: DATE, fill: fillDates, of: ([acquired]) => acquired || null },
    quantity: { type: DECIMAL(38, 0), fill: fillDecimals, of: ([, quantity]) => BigInt(quantity) },
    basis_usd: { type: DECIMAL(38, 2), fill: fillDecimals, of: ([, , basis]) => amount(basis) },
    proceeds_usd: { type: DECIMAL(38, 2), fill: fillDecimals, of: ([, , , proceeds]) => amount(proceeds) },
  },
  JSON.parse,
  (slices) =>
    JSON.stringify(
      slices.map(({ held, acquired, quantity, basis_usd, proceeds_usd }) => [
        held === 'lot' ? String(acquired) : ACQUIRED[held as keyof typeof ACQUIRED],
        cell(quantity as Cell),
        cell(basis_usd as Cell),
        cell(proceeds_usd as Cell),
      ]),
    ),
);

const KINDS: Readonly<Record<string, ColumnKind>> = {
  VARCHAR: { type: VARCHAR, fill: fillTexts, decode: asIs },
  'VARCHAR[]': { type: LIST(VARCHAR), fill: fillTextLists, decode: (value: DuckDBListValue) => value.items },
  BOOLEAN: { type: BOOLEAN, fill: fillBooleans, decode: asIs },
  INTEGER: { type: INTEGER, fill: fillIntegers, decode: asIs },
  BIGINT: { type: BIGINT, fill: fillBigints, decode: (value: bigint) => Number(value) },
  'DECIMAL(38,0)': decimal(0),
  'DECIMAL(38,2)': decimal(2),
  'DECIMAL(38,6)': decimal(6),
  'DECIMAL(38,18)': decimal(18),
  TIMESTAMP: { type: TIMESTAMP, fill: fillTimestamps, decode: timeOf },
  'TIMESTAMP WITH TIME ZONE': { type: TIMESTAMPTZ, fill: fillTimestamps, decode: timeOf },
  DATE: {
    type: DATE,
    fill: fillDates,
    decode: (value: DuckDBDateValue) => dayOf(value.days * DAY_MS),
  },
  'STRUCT(denom VARCHAR, ratio DECIMAL(38,18))[]': coinLists('ratio', 18),
  'STRUCT(denom VARCHAR, amount DECIMAL(38,0))[]': coinLists('amount', 0),
  'STRUCT(held VARCHAR, acquired DATE, quantity DECIMAL(38,0), basis_usd DECIMAL(38,2), proceeds_usd DECIMAL(38,2))[]':
    sliceLists,
};

export function columnKind(type: string): ColumnKind {
  const kind = KINDS[type];
  if (!kind) throw new Error(`unsupported column type ${type}`);
  return kind;
}

function kindsOf(name: string): (column: string) => ColumnKind {
  const kinds = new Map(readTable(name).columns.map((column) => [column.name, columnKind(column.type)]));
  return (column) => {
    const kind = kinds.get(column);
    if (!kind) throw new Error(`${name} has no column ${column}`);
    return kind;
  };
}

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
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(options.threads ?? 2),
      memory_limit: options.memoryLimit ?? '600MB',
      preserve_insertion_order: 'true',
      temp_directory: spill,
    });
    const connection = await instance.connect();
    await connection.run("set global timezone = 'UTC'"); // otherwise DuckDB would use the machine's time zone for dates
    return new Database(instance, connection, spill);
  }

  /** Opens another connection to the same tables. It must be closed before this one. */
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

  /** Returns an appender. Queries may not see all appended rows until the appender is closed. */
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
