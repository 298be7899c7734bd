/** Slices of entries are stored to the ends of their types, and invalid slices are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DuckDBListValue } from '@duckdb/node-api';
import { emptyChunk, fillChunk } from '../../../../pipeline/base/duckdb/columns.js';
import { readTable } from '../../../../pipeline/base/duckdb/table.js';
import { ENTRY_COLUMNS } from '../../../../pipeline/night/jobs/replay/entry-columns.js';

const COLUMNS = [{ name: 'slices', ...ENTRY_COLUMNS.slices }];
const MOST = 10n ** 38n - 1n;

/** Lists as DuckDB prints them, after the chunk has held other rows. */
function stored(texts: readonly (string | null | number | undefined)[]): (string | null)[] {
  const rows = texts.map((slices) => ({ slices }));
  const chunk = fillChunk(emptyChunk(COLUMNS), COLUMNS, [...rows].reverse());
  return fillChunk(chunk, COLUMNS, rows)
    .getColumnValues(0)
    .map((list) => (list === null ? null : (list as DuckDBListValue).items.join()));
}

test('the column has the type of its table', () => {
  const declared = readTable('ledger_entries').columns.find(({ name }) => name === 'slices')!.type;
  assert.equal(String(ENTRY_COLUMNS.slices.type).replaceAll('"', ''), declared);
});

test('slices at the ends of their types are stored as they are, also between nulls', () => {
  const fraction = (cents: bigint) => `${cents / 100n}.${cents % 100n}`;
  const struct = (held: string, acquired: string, quantity: string, basis: string, proceeds: string) =>
    `{'held': '${held}', 'acquired': ${acquired}, 'quantity': ${quantity}, 'basis_usd': ${basis}, 'proceeds_usd': ${proceeds}}`;
  assert.deepEqual(
    stored([
      '[]',
      null,
      '[["2026-01-01","5","150","-3"]]',
      null,
      `[["","7",null,"12"],["1970-01-01","${MOST}","${MOST}",null],[null,"1",null,null]]`,
    ]),
    [
      '',
      null,
      struct('lot', '2026-01-01', '5', '1.50', '-0.03'),
      null,
      [
        struct('opening', 'NULL', '7', 'NULL', '0.12'),
        struct('lot', '1970-01-01', String(MOST), fraction(MOST), 'NULL'),
        struct('none', 'NULL', '1', 'NULL', 'NULL'),
      ].join(),
    ],
  );
});

test('slices that the column cannot hold are refused, and the column is named', () => {
  for (const text of ['', '[[]]', '[["2026-13-01","5",null,null]]', `[["","${MOST + 1n}",null,null]]`, 5, undefined]) {
    assert.throws(() => stored([null, text]), /^Error: column slices: /, String(text));
  }
});
