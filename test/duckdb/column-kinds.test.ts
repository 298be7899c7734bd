/** A data chunk holds what its rows said, to the ends of every type, and refuses what a column cannot hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DuckDBListValue, type DuckDBStructValue, VARCHAR } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { type ChunkColumn, columnKind, emptyChunk, fillChunk, fillTexts } from '../../pipeline/duckdb/column-kinds.js';
import { readTable } from '../../pipeline/duckdb/table.js';

/** A chunk that has held other rows before. */
function chunkOf<Row>(columns: readonly ChunkColumn<Row>[], rows: readonly Row[]) {
  const chunk = fillChunk(emptyChunk(columns), columns, [...rows].reverse());
  return fillChunk(chunk, columns, rows);
}

/** A chunk of one column, as rows read it. */
function throughChunk(type: string, values: readonly unknown[]): unknown[] {
  const kind = columnKind(type);
  const column: ChunkColumn<{ it: unknown }> = { name: 'it', ...kind };
  const chunk = chunkOf(
    [column],
    values.map((it) => ({ it })),
  );
  return chunk.getColumnValues(0).map((value) => (value === null ? null : kind.decode(value as never)));
}

const MOST = 10n ** 38n - 1n;

const VOUCHER = 'ibc/F663521BF1836B00F5F177680F74BFB9A8B5654A694D0D2BC249E03CF2509013';
const RATIOS = 'STRUCT(denom VARCHAR, ratio DECIMAL(38,18))[]';
const COINS = 'STRUCT(denom VARCHAR, amount DECIMAL(38,0))[]';
const SLICES = readTable('ledger_entries').columns.find(({ name }) => name === 'slices')!.type;

test('values at the ends of a type stay what they are, also between nulls', () => {
  const cases: Record<string, unknown[]> = {
    BOOLEAN: [true, false],
    INTEGER: [-(2 ** 31), 2 ** 31 - 1, 0],
    BIGINT: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0],
    'DECIMAL(38,0)': [-MOST, MOST, 0n, -1n, 2n ** 64n, -(2n ** 64n) - 1n],
    'DECIMAL(38,18)': [-MOST, MOST],
    TIMESTAMP: ['1970-01-01 00:00:00', '9999-12-31 23:59:59'],
    'TIMESTAMP WITH TIME ZONE': ['1970-01-01 00:00:00', '9999-12-31 23:59:59'],
    DATE: ['1970-01-01', '9999-12-31', '1969-12-31'],
    VARCHAR: ['', 'a', 'twelve bytes', 'more than twelve', '\u0000', 'a\u0000b', '\u{10ffff}', 'é'.repeat(70_000)],
    'VARCHAR[]': [[], ['a'], ['', 'more than twelve', 'é'], Array.from({ length: 5000 }, (_, i) => `text ${i}`)],
    [RATIOS]: [
      '',
      '0.000000000000000001uatom',
      `99999999999999999999.999999999999999999${VOUCHER},1.500000000000000000factory/a/1.5b`,
      Array.from({ length: 5000 }, (_, i) => `${i}.000000000000000000denom${i}`).join(),
    ],
    [COINS]: ['', '15uatom', `${MOST}${VOUCHER},1uatom`],
    [SLICES]: [
      '[]',
      '[["2026-01-01","5","150","-3"]]',
      `[["","7",null,"12"],["1970-01-01","${MOST}","${MOST}",null],[null,"1",null,null]]`,
    ],
  };
  for (const [type, values] of Object.entries(cases)) {
    assert.deepEqual(throughChunk(type, values), values, type);
    const between = [null, ...values.flatMap((value) => [value, null])];
    assert.deepEqual(throughChunk(type, between), between, type);
  }
});

test('a text is what it is read as: without byte order marks at its start', () => {
  assert.deepEqual(throughChunk('VARCHAR', ['\uFEFF\uFEFFa\uFEFF', '\uFEFF']), ['a\uFEFF', '']);
});

test('a coin of more digits than a column has is null in its list, and the others stay', () => {
  const kind = columnKind(RATIOS);
  const text = `1.000000000000000000a,${10n ** 20n}.000000000000000000b,2.000000000000000000c`;
  const columns = [{ name: 'it' as const, ...kind }];
  const [list] = chunkOf(columns, [{ it: text }]).getColumnValues(0) as DuckDBListValue[];
  const coins = list!.items as DuckDBStructValue[];
  assert.deepEqual(
    coins.map(({ entries: { denom, ratio } }) => [denom, ratio === null]),
    [
      ['a', false],
      ['b', true],
      ['c', false],
    ],
  );
  assert.equal(kind.decode(list as never), '1.000000000000000000a,2.000000000000000000c');
});

test('half a character is a replacement character, whatever stands beside it', () => {
  assert.deepEqual(throughChunk('VARCHAR', ['a long text \ud83d', '\ude00']), ['a long text \ufffd', '\ufffd']);
});

test('a value that its column cannot hold is refused, and the column named', () => {
  const cases: Record<string, unknown[]> = {
    BOOLEAN: [1, 'true', undefined],
    INTEGER: [2 ** 31, -(2 ** 31) - 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 5n, '5', undefined],
    BIGINT: [2 ** 63, -(2 ** 63), 2 ** 53, 0.5, Number.NaN, '5', undefined],
    'DECIMAL(38,0)': [MOST + 1n, -MOST - 1n, 2n ** 127n, 2n ** 128n, 5, '5', undefined],
    'DECIMAL(38,6)': [MOST + 1n],
    TIMESTAMP: ['', 'soon', '2026-13-01 00:00:00', undefined],
    DATE: ['', 'soon', '2026-13-01', '2026-01-01T00:00:00Z', undefined],
    VARCHAR: [5, undefined, {}, ['a']],
    [RATIOS]: ['1uatom', '1.5uatom', '1.500000000000000000', 'uatom', '-1.500000000000000000uatom', 5, undefined],
    [COINS]: ['1.5uatom', '15', ',', 5, undefined],
    [SLICES]: ['', '[[]]', '[["2026-13-01","5",null,null]]', `[["","${MOST + 1n}",null,null]]`, 5, undefined],
    'VARCHAR[]': ['a', 5, undefined, {}, [5], [null], [['a']]],
  };
  for (const [type, values] of Object.entries(cases)) {
    for (const value of values) {
      assert.throws(() => throughChunk(type, [null, value]), /^Error: column it: /, `${type} ${String(value)}`);
    }
  }
});

/** Fills a column of texts of which DuckDB has refused one, as it does with bytes that are no UTF-8: it says so by a null alone. */
const fillRefusing =
  (refused: number): typeof fillTexts =>
  (vector, values) => {
    duckdb.vector_assign_string_element_len(vector, refused, Buffer.from([0xff]));
    fillTexts(vector, values);
  };

test('a text that DuckDB does not take is refused, also where others are null', () => {
  const texts = ['short', null, 'longer than twelve bytes'];
  const chunkRefusing = (refused: number) => {
    const columns: ChunkColumn<{ it: string | null }>[] = [{ name: 'it', type: VARCHAR, fill: fillRefusing(refused) }];
    const rows = texts.map((it) => ({ it }));
    return fillChunk(emptyChunk(columns), columns, rows);
  };
  assert.throws(() => chunkRefusing(0), /^Error: column it: "short" is not a text that DuckDB accepts$/);
  assert.throws(
    () => chunkRefusing(2),
    /^Error: column it: "longer than twelve bytes" is not a text that DuckDB accepts$/,
  );
  assert.deepEqual(chunkRefusing(1).getColumnValues(0), texts);
});

test('a chunk has no more rows than a vector of DuckDB holds', () => {
  const column: ChunkColumn<{ it: string }> = { name: 'it', type: VARCHAR, fill: fillTexts };
  const rows = Array.from({ length: 2049 }, () => ({ it: 'a' }));
  assert.throws(() => chunkOf([column], rows), /2048/);
});
