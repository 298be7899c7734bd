/**
 * Price files: `<price directory>/<source>/<asset>.csv`, header `date,usd`, one UTC day a line in ascending order, a day
 * without a price has no line; LF or CRLF, with or without a byte order mark. A line that cannot be read stops the night, because
 * a skipped one would silently move that day's median.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset } from '../../schemas/types.generated.js';
import { ConfigError } from '../config-error.js';
import { isDay } from '../ledger/day.js';
import { Decimal } from '../ledger/decimal.js';
import type { PriceSource } from './price-source.js';

const HEADER = 'date,usd';
/** Spreadsheets begin files of the kind "CSV UTF-8" with it. */
const BYTE_ORDER_MARK = /^\uFEFF/;
const LINE = /^(\d{4}-\d\d-\d\d),(\d+(?:\.\d+)?)$/;

/** Largest number of decimal places of a quote, more than any source writes. */
const PLACES_MAX = 30;

/** The name of an asset's price files without `.csv`: its CoinGecko id, or its denom with `/` written `-` where it has none. */
export function assetFileName(asset: Pick<Asset, 'denom' | 'coingecko_id'>): string {
  return asset.coingecko_id ?? asset.denom.replaceAll('/', '-');
}

/** Reads a line that follows the day `before`. @returns its day and quote, or what is wrong with it */
function readLine(line: string, before: string): { day: string; usd: Decimal } | string {
  const match = LINE.exec(line);
  if (!match) return `must be <YYYY-MM-DD>,<plain decimal>, not ${JSON.stringify(line)}`;
  const [, day, price] = match as unknown as [string, string, string];
  if (!isDay(day)) return `no such day: ${day}`;
  if (day <= before) return `days must ascend, and ${day} follows ${before}`;
  const usd = new Decimal(price);
  return usd.decimalPlaces() > PLACES_MAX ? `more than ${PLACES_MAX} decimal places: ${price}` : { day, usd };
}

/**
 * Reads a price file: UTC day → USD.
 * @param name of the file in errors
 * @throws ConfigError `<name>:<line>: <reason>` for the first malformed line
 */
export function parsePriceFile(text: string, name: string): ReadonlyMap<string, Decimal> {
  const lines = text
    .replace(BYTE_ORDER_MARK, '')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  if (lines[0] !== HEADER) throw new ConfigError(`${name}:1: the header must be ${HEADER}`);
  const quotes = new Map<string, Decimal>();
  let before = '';
  for (let i = 1; i < lines.length; i++) {
    const read = readLine(lines[i]!, before);
    if (typeof read === 'string') throw new ConfigError(`${name}:${i + 1}: ${read}`);
    quotes.set(read.day, read.usd);
    before = read.day;
  }
  return quotes;
}

/** The source whose files lie in the folder `<priceDir>/<name>`; without the folder it has no quotes. */
export function fileSource(priceDir: string | undefined, name: string): PriceSource {
  return {
    name,
    async quotes(asset) {
      const file = priceDir === undefined ? undefined : join(priceDir, name, `${asset}.csv`);
      if (file === undefined || !existsSync(file)) return new Map();
      const text = await readFile(file, 'utf8').catch((error: Error) => {
        throw new ConfigError(`${file} cannot be read: ${error.message}`);
      });
      const quotes = parsePriceFile(text, file);
      return new Map([...quotes].map(([day, usd]) => [day, { usd, fetched: '' }]));
    },
  };
}

/**
 * Lists the sources of a price directory, which are its folders but the hidden ones, in alphabetical order.
 * @throws ConfigError when the directory is missing, or a name could not stand in a list of sources
 */
export async function sourceFolders(priceDir: string | undefined): Promise<string[]> {
  if (priceDir === undefined) return [];
  if (!existsSync(priceDir)) throw new ConfigError(`no price directory ${priceDir}; see HUBLEDGER_PRICE_DIR`);
  const names: string[] = [];
  for (const name of await readdir(priceDir)) {
    if (name.startsWith('.') || !(await stat(join(priceDir, name))).isDirectory()) continue;
    if (!/^[\w.-]+$/.test(name))
      throw new ConfigError(`${join(priceDir, name)}: a source's name is made of A-Z a-z 0-9 _ . -`);
    names.push(name);
  }
  return names.sort();
}
