/** Files of exchange rates: what the bank publishes is read as it is, and a file with any fault is not used at all. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zipSync } from 'fflate';
import { projectRoot } from '../../pipeline/base/project.js';
import { parseRates, ratesSources } from '../../pipeline/prices/rates-file.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-rates-'));
after(() => rmSync(folder, { recursive: true }));

const SAMPLE = readFileSync(join(projectRoot(), 'data/sample/eurofxref-hist.csv'), 'utf8');

const read = (text: string) =>
  parseRates(text, 'bank').map(({ day, currency, per_eur }) => `${day} ${currency} ${per_eur}`);

test('the file of the sample is read as the bank wrote it: every figure, and no row without one', () => {
  const rates = parseRates(SAMPLE, 'bank');
  const [header, ...lines] = SAMPLE.trim()
    .split('\n')
    .map((line) => line.split(','));
  const written = lines.flatMap(([day, ...cells]) =>
    cells.flatMap((cell, i) => (cell === 'N/A' ? [] : [`${day} ${header![i + 1]} ${Math.round(Number(cell) * 1e6)}`])),
  );
  assert.deepEqual(
    rates.map(({ day, currency, per_eur }) => `${day} ${currency} ${per_eur}`),
    written,
  );
  assert.ok(written.includes('2026-04-02 JPY 183940000'));
  assert.deepEqual(
    rates.filter(({ day }) => day >= '2026-04-03' && day <= '2026-04-06'), // Good Friday to Easter Monday
    [],
  );
  const levs = rates.filter(({ currency }) => currency === 'BGN').map(({ day }) => day);
  assert.equal(levs.sort().at(-1), '2025-12-31'); // Bulgaria has the euro since 2026
});

test('the daily file, line ends of Windows, commas at the end, spaces and a byte order mark are read', () => {
  assert.deepEqual(read('Date, USD, JPY, \n2 April 2026, 1.1525, 183.94, \n'), [
    '2026-04-02 USD 1152500',
    '2026-04-02 JPY 183940000',
  ]);
  assert.deepEqual(read('\uFEFFDate,USD,HRK,\r\n2022-12-30,1.0666,7.5365,\r\n2023-01-02,1.0683,N/A,\r\n'), [
    '2022-12-30 USD 1066600',
    '2022-12-30 HRK 7536500',
    '2023-01-02 USD 1068300',
  ]);
  assert.deepEqual(read('Date,USD,RUB\n2026-04-02,1.1525,'), ['2026-04-02 USD 1152500']);
});

const BROKEN: readonly [text: string, error: string][] = [
  ['', 'there is no day'],
  ['<!DOCTYPE html>\n<p>Sorry</p>', 'line 1: the first column must be Date'],
  ['Date,USD\n', 'there is no day'],
  ['Date\n2026-04-02', 'line 1: there is no currency'],
  ['Date,USD,USD\n2026-04-02,1,1', 'line 1: two columns have the same currency'],
  ['Date,usd\n2026-04-02,1', 'line 1: the column "usd" is not a currency'],
  ['Date,EUR\n2026-04-02,1', 'line 1: the column "EUR" is not a currency'],
  ['Date,USD,,JPY\n2026-04-02,1,,2', 'line 1: the column "" is not a currency'],
  ['Date,USD\n2026-04-02,1.1525\n2026-04-01', 'line 3: 1 columns in place of 2'],
  ['Date,USD\n2026-04-02,1.1525,3', 'line 2: 3 columns in place of 2'],
  ['Date,USD\n2026-02-30,1.1525', 'line 2: "2026-02-30" is not a day'],
  ['Date,USD\n2 Aprill 2026,1.1525', 'line 2: "2 Aprill 2026" is not a day'],
  ['Date,USD\n31 April 2026,1.1525', 'line 2: "31 April 2026" is not a day'],
  ['Date,USD\n2026-04-02,1.1525\n2026-04-02,1.1525', 'line 3: 2026-04-02 has two lines'],
  ['Date,USD\n2026-04-02,0', 'line 2: "0" is not a rate'],
  ['Date,USD\n2026-04-02,0.0000', 'line 2: "0.0000" is not a rate'],
  ['Date,USD\n2026-04-02,-1.1', 'line 2: "-1.1" is not a rate'],
  ['Date,USD\n2026-04-02,1e3', 'line 2: not a plain decimal: "1e3"'],
  ['Date,USD\n2026-04-02,NaN', 'line 2: not a plain decimal: "NaN"'],
  ['Date,USD\n2026-04-02,1.1234567', 'line 2: more than 6 decimal places: 1.1234567'],
  ['Date,USD\n2026-04-02,1.1525\n\n2026-04-01,1.16', 'line 3: 1 columns in place of 2'],
];

test('a file with any fault is refused, with the line', () => {
  for (const [text, error] of BROKEN) assert.throws(() => read(text), new Error(error));
});

async function readFile(bytes: Uint8Array | string) {
  const ratesFile = join(folder, 'rates.bin');
  writeFileSync(ratesFile, bytes);
  return ratesSources({ ratesUrl: undefined, ratesFile }, new AbortController().signal)[0]!.read();
}

test('a zip is read as the file in it; a zip with a wrong byte, cut or with two files is refused', async () => {
  const csv = Buffer.from(SAMPLE);
  const expected = parseRates(SAMPLE, 'rates.bin');
  const zip = zipSync({ 'eurofxref-hist.csv': csv });
  assert.deepEqual(await readFile(zip), expected);
  assert.deepEqual(await readFile(csv), expected);
  // Without compression, a wrong byte is a wrong digit that only the checksum finds.
  const stored = zipSync({ 'eurofxref-hist.csv': csv }, { level: 0 });
  assert.deepEqual(await readFile(stored), expected);
  const at = Buffer.from(stored).indexOf('183.94');
  stored[at] = '2'.charCodeAt(0);
  await assert.rejects(readFile(stored), new Error('the zip is damaged'));
  await assert.rejects(readFile(zip.subarray(0, zip.length / 2)));
  await assert.rejects(readFile(zipSync({ 'a.csv': csv, 'b.csv': csv })), new Error('the zip must contain one file'));
  await assert.rejects(readFile(Buffer.from([0x44, 0xff, 0xfe])));
});
