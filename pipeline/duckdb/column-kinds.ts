import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBListValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  INTEGER,
  LIST,
  TIMESTAMP,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import { DAY_MS, dayOf } from '../ledger/day.js';
import {
  type ChunkColumn,
  fillBigints,
  fillBooleans,
  fillDates,
  fillDecimals,
  fillIntegers,
  fillTextLists,
  fillTexts,
  fillTimestamps,
} from './data-chunk.js';
import { coinLists, sliceLists } from './struct-lists.js';
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
