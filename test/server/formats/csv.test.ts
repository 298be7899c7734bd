import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import type { Field, FieldKind } from '../../../pipeline/reports/field.js';
import { csvChunks, csvFileName, csvHeader, csvLine } from '../../../server/formats/csv.js';
import { parseCsv } from '../parse-csv.js';

type Row = readonly string[];
const field = (kind: FieldKind, i: number): Field<Row> => ({ name: `${kind}${i}`, kind, of: (row) => row[i]! });
const TEXTS = [field('text', 0), field('text', 1), field('text', 2)];

test('a header, then a line a row, in batches', () => {
  const text = [...csvChunks(TEXTS, [[['a', 'b', 'c']], [], [['', 'é', '5']]])].join('');
  assert.equal(text, 'text0,text1,text2\r\na,b,c\r\n,é,5\r\n');
});

test('cells with commas, quotes and line ends are quoted', () => {
  assert.equal(csvLine(TEXTS, ['a,b', 'say "hi"', 'two\r\nlines']), '"a,b","say ""hi""","two\r\nlines"\r\n');
});

test('texts that a spreadsheet would run are disarmed, numbers are left alone', () => {
  assert.equal(csvLine(TEXTS, ['=1+1', '@SUM(A1)', '\tx']), "'=1+1,'@SUM(A1),'\tx\r\n");
  assert.equal(csvLine(TEXTS, ['+x', '-x', '\r=x']), `'+x,'-x,"'\r=x"\r\n`);
  assert.equal(csvLine(TEXTS, ['=HYPERLINK("x","y")', 'a=b', '']), `"'=HYPERLINK(""x"",""y"")",a=b,\r\n`);
  const numbers = (['decimal', 'number', 'boolean'] as const).map(field);
  assert.equal(csvLine(numbers, ['-5.00', '-1', 'true']), '-5.00,-1,true\r\n');
});

test('any text comes back from the table, and another writer agrees', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(',', '"', '\r', '\n', '=', '-', ' ', 'x') }),
  );
  const guarded = (cell: string) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text), { maxLength: 5 }), (rows) => {
      const table = csvHeader(TEXTS) + rows.map((row) => csvLine(TEXTS, row)).join('');
      const expected = rows.map((row) => row.map(guarded));
      assert.deepEqual(parseCsv(table).slice(1), expected);
      const options = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ } as const;
      assert.equal(table, csvHeader(TEXTS) + stringify(expected, options));
    }),
    { numRuns: 500, seed: 3 },
  );
});

test('a file name tells report, wallet and days', () => {
  const [a, b] = ['cosmos1q4dytkqyawrt4jhxfy939p9qw9ql9ekd0heyc7', 'cosmos1yth5f5vxgujpy6dqhdn0yk2hvc0cstkakum368'];
  assert.equal(csvFileName('events', [a], ['2026-01-01', '2026-03-31']), 'events-q4dytkqy-2026-01-01-2026-03-31.csv');
  assert.equal(csvFileName('positions', [a, b], ['2026-03-31']), 'positions-q4dytkqy-and-1-more-2026-03-31.csv');
});
