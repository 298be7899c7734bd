import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { Decimal } from '../../pipeline/base/values/decimal.js';
import { assetFileName, parsePriceFile, sourceFolders } from '../../pipeline/prices/price-files.js';

const read = (text: string) => Object.fromEntries(parsePriceFile(text, 'x/cosmos.csv'));

test('LF and CRLF, with and without an end of the last line, are the same file', () => {
  const quotes = { '2026-01-02': new Decimal('2.09'), '2026-01-04': new Decimal(2) };
  assert.deepEqual(read('date,usd\n2026-01-02,2.09\n2026-01-04,2\n'), quotes);
  assert.deepEqual(read('date,usd\r\n2026-01-02,2.09\r\n2026-01-04,2.00\r\n'), quotes);
  assert.deepEqual(read('date,usd\n2026-01-02,2.09\n2026-01-04,2'), quotes);
  assert.deepEqual(read('date,usd\r\n2026-01-02,2.09\n2026-01-04,2\r\n'), quotes);
  assert.deepEqual(read('date,usd\n'), {});
});

test('a byte order mark is read over, before LF and CRLF alike', () => {
  const quotes = { '2026-01-02': new Decimal('2.09') };
  assert.deepEqual(read('\ufeffdate,usd\n2026-01-02,2.09\n'), quotes);
  assert.deepEqual(read('\ufeffdate,usd\r\n2026-01-02,2.09\n'), quotes);
  assert.deepEqual(read('\ufeffdate,usd'), {});
});

test('every decimal of a quote is kept', () => {
  const usd = '0.000000123456789012345678901';
  assert.equal(read(`date,usd\n2026-01-02,${usd}\n`)['2026-01-02']!.toFixed(), usd);
  assert.equal(read(`date,usd\n2026-01-02,0.5${'0'.repeat(30)}\n`)['2026-01-02']!.toFixed(), '0.5');
});

const malformed: [string, string, RegExp][] = [
  ['empty', '', /^x\/cosmos.csv:1: the header must be date,usd/],
  ['other header', 'day,price\n', /:1: the header/],
  ['two byte order marks', '\ufeff\ufeffdate,usd\n', /:1: the header/],
  ['a byte order mark in another line', 'date,usd\n\ufeff2026-01-02,2\n', /:2: must be/],
  ['old Mac line ends', 'date,usd\r2026-01-02,2\r', /:1: the header/],
  ['blank line', 'date,usd\n2026-01-02,2\n\n2026-01-03,2\n', /:3: must be/],
  ['no price', 'date,usd\n2026-01-02,\n', /:2: must be/],
  ['third column', 'date,usd\n2026-01-02,2,1\n', /:2: must be/],
  ['spaces', 'date,usd\n2026-01-02, 2\n', /:2: must be/],
  ['exponent', 'date,usd\n2026-01-02,2e-7\n', /:2: must be/],
  ['negative', 'date,usd\n2026-01-02,-2\n', /:2: must be/],
  ['not a number', 'date,usd\n2026-01-02,NaN\n', /:2: must be/],
  ['comma for the point', 'date,usd\n2026-01-02,"2,1"\n', /:2: must be/],
  ['more places than are kept', `date,usd\n2026-01-02,0.${'1'.repeat(31)}\n`, /:2: more than 30 decimal places/],
  ['impossible day', 'date,usd\n2026-02-30,2\n', /:2: not a calendar date: 2026-02-30/],
  ['impossible month', 'date,usd\n2026-13-01,2\n', /:2: not a calendar date/],
  ['with a time', 'date,usd\n2026-01-02T00:00:00Z,2\n', /:2: must be/],
  ['same day twice', 'date,usd\n2026-01-02,2\n2026-01-02,2\n', /:3: days must ascend/],
  ['descending', 'date,usd\n2026-01-03,2\n2026-01-02,2\n', /:3: days must ascend, but 2026-01-02 follows 2026-01-03/],
];
for (const [name, text, message] of malformed) {
  test(`malformed: ${name}`, () =>
    assert.throws(
      () => read(text),
      (error) => error instanceof ConfigError && message.test(error.message),
    ));
}

test("a file is named by the asset's CoinGecko id, or its denom", () => {
  assert.equal(assetFileName({ denom: 'uatom', coingecko_id: 'cosmos' }), 'cosmos');
  assert.equal(assetFileName({ denom: 'factory/cosmos1abc/ustars' }), 'factory-cosmos1abc-ustars');
});

test('a price directory that is not there is said so', async () => {
  await assert.rejects(
    sourceFolders('/no/such/folder'),
    /price directory \/no\/such\/folder not found; see HUBLEDGER_PRICE_DIR/,
  );
});
