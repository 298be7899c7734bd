/**
 * Rows → a data chunk of DuckDB, column by column. node-api sets a chunk value by value: a call into C++ for each text, several
 * BigInts for each null. Here the numbers of a column are one copy, and so are its texts; that takes half the time.
 */
import { DuckDBDataChunk, type DuckDBType } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';

type Vector = ReturnType<typeof duckdb.data_chunk_get_vector>;

/** Members of rows in their order. What stands where a value is null does not matter. */
type Fill<Value> = (vector: Vector, values: readonly (Value | null)[]) => void;

/** A column of a chunk: the member of a row that it takes, its type, and how its values are put into a vector. */
export interface ChunkColumn<Row> {
  readonly name: keyof Row;
  readonly type: DuckDBType;
  readonly fill: Fill<never>;
}

/** A chunk of these rows, as many as DuckDB's vectors hold at the most. */
export function dataChunk<Row>(columns: readonly ChunkColumn<Row>[], rows: readonly Row[]): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(
    columns.map(({ type }) => type),
    rows.length,
  );
  columns.forEach(({ name, fill }, i) => {
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, i);
    const values = rows.map((row) => row[name]) as never[];
    fill(vector, values);
    markNulls(vector, values);
  });
  return chunk;
}

function copyInto(vector: Vector, { buffer, byteLength }: { buffer: ArrayBuffer; byteLength: number }): void {
  duckdb.copy_data_to_vector(vector, 0, buffer, 0, byteLength);
}

/** A set bit is a value. A vector without bits has no null. */
function markNulls(vector: Vector, values: readonly unknown[]): void {
  let bits: Uint32Array<ArrayBuffer> | undefined;
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) continue;
    bits ??= new Uint32Array(2 * Math.ceil(values.length / 64)).fill(0xffffffff);
    bits[i >> 5]! &= ~(1 << (i & 31));
  }
  if (!bits) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength);
}

export const fillBooleans: Fill<boolean> = (vector, values) => {
  const bytes = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) bytes[i] = values[i] ? 1 : 0;
  copyInto(vector, bytes);
};

/** Also days since 1970. */
export const fillIntegers: Fill<number> = (vector, values) => {
  const numbers = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) numbers[i] = values[i] ?? 0;
  copyInto(vector, numbers);
};

export const fillBigints: Fill<number> = (vector, values) => {
  const numbers = new BigInt64Array(values.length);
  for (let i = 0; i < values.length; i++) numbers[i] = BigInt(values[i] ?? 0);
  copyInto(vector, numbers);
};

/** Units of a DECIMAL of more than 18 digits, the lower half of each first. */
export const fillDecimals: Fill<bigint> = (vector, values) => {
  const halves = new BigInt64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0n;
    halves[2 * i] = value;
    halves[2 * i + 1] = value >> 64n;
  }
  copyInto(vector, halves);
};

/** `YYYY-MM-DD hh:mm:ss` in UTC. Rows of one block follow each other: a time is read once. */
export const fillTimestamps: Fill<string> = (vector, values) => {
  const microseconds = new BigInt64Array(values.length);
  let [text, time] = ['', 0n];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? text;
    if (value !== text) {
      text = value;
      time = BigInt(Date.parse(`${text.replace(' ', 'T')}Z`)) * 1000n;
    }
    microseconds[i] = time;
  }
  copyInto(vector, microseconds);
};

/** `YYYY-MM-DD` */
export const fillDates: Fill<string> = (vector, values) =>
  fillIntegers(
    vector,
    values.map((value) => (value === null ? null : Date.parse(`${value}T00:00:00Z`) / 86_400_000)),
  );

/** Texts longer than this on average are handed over one by one: there, a call for each is nothing. */
const LONG = 512;

/** Bytes of DuckDB's string_t, and up to which length it holds the text itself. */
const [HEAD, INLINE] = [16, 12];

/**
 * Hands over all texts of a column as one, and lays the heads (duckdb.h, duckdb_string_t) over it: length and, of a short text, its
 * bytes; of a longer one four bytes and where in memory it lies.
 */
export const fillTexts: Fill<string> = (vector, values) => {
  const texts = values.filter((value) => value !== null);
  if (texts.reduce((sum, { length }) => sum + length, 0) > LONG * texts.length) return fillOneByOne(vector, values);
  const all = texts.join('');
  let bytes = Buffer.from(all);
  let lengths = texts.map((text) => text.length);
  if (bytes.length !== all.length) {
    // Each by itself: where one text ends and the next begins, two halves of a character must not become one.
    const parts = texts.map((text) => Buffer.from(text));
    bytes = Buffer.concat(parts);
    lengths = parts.map((part) => part.length);
  }
  copyInto(vector, headsOver(bytes, lengths, storedAt(vector, bytes), values));
};

const fillOneByOne: Fill<string> = (vector, values) => {
  values.forEach((value, i) => {
    if (value !== null) duckdb.vector_assign_string_element(vector, i, value);
  });
};

/** Puts bytes into the memory that lives as long as the vector. @returns where they lie; 0 for so few that no head points there */
function storedAt(vector: Vector, bytes: Buffer): bigint {
  if (bytes.length <= INLINE) return 0n;
  duckdb.vector_assign_string_element_len(vector, 0, bytes);
  const head = duckdb.vector_get_data(vector, HEAD);
  return new BigUint64Array(head.slice().buffer)[1]!;
}

/** @param lengths of the texts, which lie in `bytes` one after the other @param values where texts and nulls stand */
function headsOver(
  bytes: Buffer,
  lengths: readonly number[],
  address: bigint,
  values: readonly unknown[],
): Uint8Array<ArrayBuffer> {
  const heads = new Uint8Array(HEAD * values.length);
  const words = new Uint32Array(heads.buffer);
  const pointers = new BigUint64Array(heads.buffer);
  let [text, start] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (values[i] === null) continue;
    const length = lengths[text++]!;
    const head = HEAD * i;
    words[head / 4] = length;
    const shown = length > INLINE ? 4 : length;
    for (let k = 0; k < shown; k++) heads[head + 4 + k] = bytes[start + k]!;
    if (length > INLINE) pointers[head / 8 + 1] = address + BigInt(start);
    start += length;
  }
  return heads;
}
