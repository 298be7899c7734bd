/**
 * Reads euro reference rates as the European Central Bank publishes them: a CSV file with a line for each day and a
 * column for each currency, plain or in a zip. A file with any fault is not used at all.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { unzipSync } from 'fflate';
import type { ExchangeRate } from '../../schemas/types.generated.js';
import { quoted } from '../base/json/quoted.js';
import { parseDecimal, RATE_DECIMALS } from '../base/values/amount.js';
import { isDay } from '../base/values/day.js';
import type { Config } from '../config.js';

const TIMEOUT_MS = 20_000;
/** The bank's whole history has less than 2 MB. */
const FILE_BYTES_MAX = 32 * 1024 * 1024;

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
/** The bank's word for a day without a rate. */
const NO_RATE = new Set(['', 'N/A']);

/** Returns the day of `2026-04-02` or, as in the bank's daily file, `2 April 2026`. */
function dayIn(cell: string): string {
  const [, date, month, year] = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/.exec(cell) ?? [];
  const number = MONTHS.indexOf(month ?? '') + 1;
  const day = year === undefined ? cell : `${year}-${String(number).padStart(2, '0')}-${date!.padStart(2, '0')}`;
  if (!isDay(day)) throw new Error(`${quoted(cell)} is not a day`);
  return day;
}

function unitsIn(cell: string): bigint {
  const units = cell.startsWith('-') ? 0n : parseDecimal(cell, RATE_DECIMALS);
  if (units === 0n) throw new Error(`${quoted(cell)} is not a rate`);
  return units;
}

function currenciesIn([first, ...currencies]: readonly string[]): readonly string[] {
  if (first !== 'Date') throw new Error('the first column must be Date');
  if (currencies.at(-1) === '') currencies.pop(); // the bank's lines end with a comma
  const wrong = currencies.find((currency) => !/^[A-Z]{3}$/.test(currency) || currency === 'EUR');
  if (wrong !== undefined) throw new Error(`the column ${quoted(wrong)} is not a currency`);
  if (currencies.length === 0) throw new Error('there is no currency');
  if (new Set(currencies).size < currencies.length) throw new Error('two columns have the same currency');
  return currencies;
}

const cellsOf = (line: string): string[] => line.split(',').map((cell) => cell.trim());

/** @throws Error that names the first wrong line */
export function parseRates(text: string, source: string): ExchangeRate[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const days = new Set<string>();
  let currencies: readonly string[] = [];
  let width = 0;
  const rates = lines.flatMap((line, i) => {
    try {
      const cells = cellsOf(line);
      if (i === 0) {
        [currencies, width] = [currenciesIn(cells), cells.length];
        return [];
      }
      if (cells.length !== width) throw new Error(`${cells.length} columns in place of ${width}`);
      const day = dayIn(cells[0]!);
      if (days.has(day)) throw new Error(`${day} has two lines`);
      days.add(day);
      return currencies.flatMap((currency, column) => {
        const cell = cells[column + 1]!;
        return NO_RATE.has(cell) ? [] : [{ day, currency, per_eur: unitsIn(cell), source }];
      });
    } catch (error) {
      throw new Error(`line ${i + 1}: ${(error as Error).message}`);
    }
  });
  if (days.size === 0) throw new Error('there is no day');
  return rates;
}

const isZip = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04'));

/** Returns the only file of a zip. Compares its checksum, which fflate does not. */
function unzipped(bytes: Buffer): Buffer {
  const files = unzipSync(bytes, {
    filter: ({ originalSize }) => {
      if (originalSize > FILE_BYTES_MAX) throw new Error('its file is too large');
      return true;
    },
  });
  const [csv, ...others] = Object.values(files);
  if (csv === undefined || others.length > 0) throw new Error('the zip must contain one file');
  const directory = bytes.readUInt32LE(bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16);
  if (crc32(csv) !== bytes.readUInt32LE(directory + 16)) throw new Error('the zip is damaged');
  return Buffer.from(csv);
}

function textOf(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(isZip(bytes) ? unzipped(bytes) : bytes);
}

/** @throws Error if the server does not answer, refuses, or sends too much */
async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > FILE_BYTES_MAX) throw new Error('its answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export interface RatesSource {
  /** Host or file name, as in the table exchange_rates. An address may contain a key, so it is not shown. */
  readonly name: string;
  /** @throws Error if nothing of the source can be used */
  readonly read: () => Promise<ExchangeRate[]>;
}

/** Returns the sources in use. If both give a rate of a day, the later source takes precedence. */
export function ratesSources(
  { ratesUrl, ratesFile }: Pick<Config, 'ratesUrl' | 'ratesFile'>,
  signal: AbortSignal,
): readonly RatesSource[] {
  const source = (name: string, bytes: () => Promise<Buffer>): RatesSource => ({
    name,
    read: async () => parseRates(textOf(await bytes()), name),
  });
  return [
    ...(ratesUrl === undefined ? [] : [source(new URL(ratesUrl).host, () => download(ratesUrl, signal))]),
    ...(ratesFile === undefined ? [] : [source(basename(ratesFile), () => readFile(ratesFile))]),
  ];
}
