/** Columns that are lists of structs in files and one text in rows. */
import {
  DATE,
  DECIMAL,
  type DuckDBListValue,
  type DuckDBStructValue,
  type DuckDBType,
  LIST,
  STRUCT,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { type EntrySlice, readSlices } from '../ledger/slices.js';
import { type Fill, fillDates, fillDecimals, fillLists, fillTexts, markNulls, type Vector } from './data-chunk.js';

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
export const coinLists = (member: string, places: number) =>
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

const heldAs = ({ acquired }: EntrySlice) => (acquired === null ? 'none' : acquired === '' ? 'opening' : 'lot');

type Cell = { readonly value: bigint } | null;
const cell = (value: Cell) => (value === null ? null : String(value.value));

const ACQUIRED = { opening: '', none: null };

export const sliceLists = structLists<EntrySlice>(
  {
    held: { type: VARCHAR, fill: fillTexts, of: heldAs },
    acquired: { type: DATE, fill: fillDates, of: ({ acquired }) => acquired || null },
    quantity: { type: DECIMAL(38, 0), fill: fillDecimals, of: ({ quantity }) => quantity },
    basis_usd: { type: DECIMAL(38, 2), fill: fillDecimals, of: ({ basis }) => basis },
    proceeds_usd: { type: DECIMAL(38, 2), fill: fillDecimals, of: ({ proceeds }) => proceeds },
  },
  readSlices,
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
