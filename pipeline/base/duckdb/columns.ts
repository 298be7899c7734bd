/**
 * Types of columns: how values are written to data chunks and read from them. Rows are written as data chunks, which is
 * twice as fast as writing single values with node-api. Invalid values are rejected here, because DuckDB does not check
 * the bytes of a chunk.
 */
import type {
  DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { DAY_MS, dayOf, startOf } from '../values/day.js';
import { nodeApi } from './node-api.js';
import { readTable } from './table.js';

const { BIGINT, BOOLEAN, DATE, DECIMAL, INTEGER, LIST, STRUCT, TIMESTAMP, TIMESTAMPTZ, VARCHAR } = nodeApi;

type Vector = ReturnType<typeof duckdb.data_chunk_get_vector>;

/** Writes the values of one column. Ignores values at null positions. */
type Fill<Value> = (vector: Vector, values: readonly (Value | null)[]) => void;

/** How the values of a column are written. */
export interface ColumnFill {
  readonly type: DuckDBType;
  readonly fill: Fill<never>;
}

export interface ChunkColumn<Row> extends ColumnFill {
  readonly name: string;
  /** Returns a row's value. By default, it is the row's member with the column's name. */
  readonly of?: (row: Row) => unknown;
}

export function emptyChunk<Row>(columns: readonly ChunkColumn<Row>[]): DuckDBDataChunk {
  return nodeApi.DuckDBDataChunk.create(columns.map(({ type }) => type));
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
  columns.forEach(({ name, of = (row) => row[name as keyof Row], fill }, i) => {
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, i);
    const values = rows.map(of) as never[];
    try {
      fill(vector, values);
    } catch (error) {
      throw new Error(`column ${name}: ${(error as Error).message}`, { cause: error });
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

/** Parsed days, because many rows have the same days. */
const dayNumbers = new Map<string, number>();

function dayNumber(text: string): number {
  const known = dayNumbers.get(text);
  if (known !== undefined) return known;
  const day = startOf(text) / DAY_MS;
  if (!Number.isInteger(day)) refuse(text, 'a day as YYYY-MM-DD');
  dayNumbers.set(text, day);
  return day;
}

const fillDates: Fill<string> = (vector, values) => {
  const days = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) days[i] = dayNumber(values[i]!);
  }
  copyInto(vector, days);
};

/** Rejects invalid UTF-8. DuckDB would set such a text to null without an error, so the null mask is checked. */
const fillTexts: Fill<string> = (vector, values) => {
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

export function fillMember(
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

interface ColumnKind extends ColumnFill {
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
  readonly kind: ColumnFill;
  readonly of: (item: Item) => string | bigint | null;
}

/** Writes lists of structs from text. @param parse returns the items of a text */
export function structLists<Item>(
  members: Readonly<Record<string, Member<Item>>>,
  parse: (text: string) => readonly Item[],
): ColumnFill {
  const types = Object.fromEntries(Object.entries(members).map(([name, { kind }]) => [name, kind.type]));
  const fillStructs = (vector: Vector, items: readonly Item[]) =>
    Object.values(members).forEach(({ kind, of }, i) => {
      const child = duckdb.struct_vector_get_child(vector, i);
      const values = items.map(of);
      kind.fill(child, values as never[]);
      markNulls(child, values);
    });
  const fill: Fill<string> = (vector, texts) =>
    fillLists(
      vector,
      texts.map((text) => (text === null ? null : parse(text))),
      fillStructs,
    );
  return { type: LIST(STRUCT(types)), fill };
}

interface Coin {
  readonly denom: string;
  readonly units: bigint | null;
}

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
    return { denom, units: units < DECIMAL_LIMIT ? units : null };
  });
}

function formatUnits(units: bigint, places: number): string {
  if (places === 0) return String(units);
  const digits = String(units).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const formatCoins = (coins: readonly DuckDBStructValue[], member: string, places: number) =>
  coins
    .filter(({ entries }) => entries[member] !== null)
    .map(({ entries }) => `${formatUnits((entries[member] as DuckDBDecimalValue).value, places)}${entries.denom}`)
    .join();

/** Lists of coins. An amount of more than 38 digits is stored as null, and readers omit such a coin. */
const coinLists = (member: string, places: number): ColumnKind => ({
  ...structLists<Coin>(
    {
      denom: { kind: { type: VARCHAR, fill: fillTexts }, of: ({ denom }) => denom },
      [member]: { kind: decimal(places), of: ({ units }) => units },
    },
    (text) => parseCoins(text, places),
  ),
  // Some queries return such a list as text.
  decode: (value: DuckDBListValue | string) =>
    typeof value === 'string' ? value : formatCoins(value.items as DuckDBStructValue[], member, places),
});

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
};

export function columnKind(type: string): ColumnKind {
  const kind = KINDS[type];
  if (!kind) throw new Error(`unsupported column type ${type}`);
  return kind;
}

export function kindsOf(name: string): (column: string) => ColumnKind {
  const kinds = new Map(readTable(name).columns.map((column) => [column.name, columnKind(column.type)]));
  return (column) => {
    const kind = kinds.get(column);
    if (!kind) throw new Error(`${name} has no column ${column}`);
    return kind;
  };
}
