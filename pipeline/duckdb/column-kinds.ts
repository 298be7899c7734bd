/** How values of each column type are written to and read from DuckDB. */
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBListValue,
  type DuckDBStructValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBType,
  INTEGER,
  LIST,
  STRUCT,
  TIMESTAMP,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { DAY_MS, dayOf } from '../ledger/day.js';
import {
  type ChunkColumn,
  type Fill,
  fillBigints,
  fillBooleans,
  fillDates,
  fillDecimals,
  fillIntegers,
  fillLists,
  fillTextLists,
  fillTexts,
  fillTimestamps,
  markNulls,
  type Vector,
} from './data-chunk.js';
import { readTable } from './table.js';

export interface ColumnKind extends Omit<ChunkColumn<never>, 'name'> {
  /** Converts a DuckDB value to a row member. */
  readonly decode: (value: never) => unknown;
}

/** `YYYY-MM-DD hh:mm:ss` in UTC */
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

// Lists of structs in files are one text in rows.

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

/** @param format DuckDB value → row text; skipped if the query already returned text */
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
  /** Null if it has more than 38 digits. */
  readonly units: bigint | null;
}

const UNITS_LIMIT = 10n ** 38n;

const COIN = /^(\d+)(?:\.(\d+))?(\D.*)$/s;

/** Parses '15uatom,…', or '1.500000000000000000uatom,…' with all decimal places. */
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

/** Coins of more than 38 digits become null in the file and are lost when the row is read back. */
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

/** A slice of a ledger entry as JSON: acquired day ('' for opening coins, null without a lot), units, cents, cents. */
type Slice = readonly [acquired: string | null, quantity: string, basis: string | null, proceeds: string | null];

const heldAs = ([acquired]: Slice) => (acquired === null ? 'none' : acquired === '' ? 'opening' : 'lot');
const amount = (text: string | null) => (text === null ? null : BigInt(text));

type Cell = { readonly value: bigint } | null;
const cell = (value: Cell) => (value === null ? null : String(value.value));

const ACQUIRED = { opening: '', none: null };

/** Row text: '[["2026-01-01","5","150",null]]'. */
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

/** By `x-column` of a table's schema. */
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

/** @throws Error for an unsupported type */
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
