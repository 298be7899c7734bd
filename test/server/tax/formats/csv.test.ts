import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Field, FieldKind } from '../../../../pipeline/books/reports/field.js';
import { csvChunks, fileNameOf } from '../../../../server/tax/formats/csv.js';
import { asCell, parseCsv } from '../../parse-csv.js';

type Row = readonly string[];
const field = (kind: FieldKind, i: number): Field<Row> => ({ name: `${kind}${i}`, kind, of: (row) => row[i]! });
const TEXTS = [field('text', 0), field('text', 1), field('text', 2)];
const NUMBERS = (['decimal', 'number', 'boolean'] as const).map(field);

/** The table below its header. */
function body(fields: readonly Field<Row>[], ...rows: Row[]): string {
  const header = `${fields.map(({ name }) => name).join(',')}\r\n`;
  const table = [...csvChunks(fields, rows)].join('');
  assert.ok(table.startsWith(header));
  return table.slice(header.length);
}

test('a header, then a line a row', () => {
  const chunks = csvChunks(TEXTS, [
    ['a', 'b', 'c'],
    ['', 'é', '5'],
  ]);
  assert.equal([...chunks].join(''), 'text0,text1,text2\r\na,b,c\r\n,é,5\r\n');
  assert.equal([...csvChunks(TEXTS, [])].join(''), 'text0,text1,text2\r\n');
});

test('a long table is written as it is made, a hundred lines at a time', () => {
  const rows = Array.from({ length: 300 }, () => ['a', 'b', 'c']);
  const lines = [...csvChunks(TEXTS, rows)].map((chunk) => chunk.split('\r\n').length - 1);
  assert.deepEqual(lines, [100, 100, 100, 1]);
});

test('cells with commas, quotes and line ends are quoted', () => {
  assert.equal(body(TEXTS, ['a,b', 'say "hi"', 'two\r\nlines']), '"a,b","say ""hi""","two\r\nlines"\r\n');
  assert.equal(body(TEXTS, ['one\rtwo', 'one\ntwo', ' a b ']), '"one\rtwo","one\ntwo", a b \r\n');
});

test('texts that a spreadsheet would run are disarmed, numbers are left alone', () => {
  assert.equal(body(TEXTS, ['=1+1', '@SUM(A1)', '\tx']), `"'=1+1","'@SUM(A1)","'\tx"\r\n`);
  assert.equal(body(TEXTS, ['+x', '-x', '\r=x']), `"'+x","'-x","'\r'=x"\r\n`);
  assert.equal(body(TEXTS, ['=HYPERLINK("x","y")', 'a=b', '']), `"'=HYPERLINK(""x"",""y"")",a=b,\r\n`);
  assert.equal(body(NUMBERS, ['-5.00', '-1', 'true']), '-5.00,-1,true\r\n');
  const digits = '123456789012345678901234567890';
  assert.equal(body(NUMBERS, [`-${digits}.000001`, digits, 'false']), `-${digits}.000001,${digits},false\r\n`);
});

test('full-width and small formula signs are disarmed like the usual ones, and so is the minus sign proper', () => {
  for (const sign of [...'＝＋－＠﹦﹢﹣﹫\u2212⁼⁺₋', '=\u0338']) {
    assert.equal(body(TEXTS, [`${sign}1`, `a${sign}1`, '1']), `"'${sign}1",a${sign}1,1\r\n`);
  }
});

test('a formula behind blanks or invisible characters is disarmed, and so is a text that begins with a control character', () => {
  for (const before of [
    ' ',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\u3000 \u2060',
    '\v',
    '\0',
    '\u034f',
    '\ufe0f',
    '\u3164',
    '\u{e0001}',
  ])
    for (const sign of '=+-@＝﹦\u2212')
      assert.equal(body([TEXTS[0]!], [`${before}${sign}1`]), `"'${before}${sign}1"\r\n`);
  assert.equal(body(TEXTS, ['\n=1', '\n1', '\0x']), `"'\n'=1","'\n1","'\0x"\r\n`);
  assert.equal(body(TEXTS, [' x', '\u00a0x', '\ufeffx']), ' x,\u00a0x,\ufeffx\r\n', 'blanks before a word do no harm');
});

test('a formula where a spreadsheet may cut a cell by another separator is disarmed there', () => {
  assert.equal(body(TEXTS, ['a;=1+1', ';=1', 'a\t @x']), `"a;'=1+1",";'=1","a\t' @x"\r\n`);
  assert.equal(body(TEXTS, ['=1;=2', 'a\r\n=2', 'a; b']), `"'=1;'=2","a\r\n'=2",a; b\r\n`);
  assert.equal(body(TEXTS, ['a,=1', 'a;\u200b;-1', 'a|=1']), `"a,=1","a;\u200b;'-1",a|=1\r\n`);
});

test('any text comes back from the table, behind an apostrophe where a spreadsheet would run it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(',', '"', '\r', '\n', '=', '-', ' ', ';', '＝', '\u200b', 'x') }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text), { maxLength: 5 }), (rows) => {
      assert.deepEqual(
        parseCsv(body(TEXTS, ...rows)),
        rows.map((row) => row.map(asCell)),
      );
    }),
    { numRuns: 500, seed: 3 },
  );
});

test('a file name tells report, wallet and days', () => {
  const [a, b] = ['cosmos1q4dytkqyawrt4jhxfy939p9qw9ql9ekd0heyc7', 'cosmos1yth5f5vxgujpy6dqhdn0yk2hvc0cstkakum368'];
  assert.equal(fileNameOf('events', [a], ['2026-01-01', '2026-03-31']), 'events-q4dytkqy-2026-01-01-2026-03-31.csv');
  assert.equal(fileNameOf('positions', [a, b], ['2026-03-31']), 'positions-q4dytkqy-and-1-more-2026-03-31.csv');
});

test('of a cell its first character is normalized: to put a long run of accents in order takes time by its square', ({
  mock,
}) => {
  const normalize = mock.method(String.prototype, 'normalize');
  const accents = '\u0315\u0300'.repeat(1000);
  assert.equal(body(TEXTS, [`é${accents}`, ` ＝${accents}`, '1']), `é${accents},"' ＝${accents}",1\r\n`);
  for (const { this: text } of normalize.mock.calls) assert.ok(String(text).length <= 2, String(text));
});
