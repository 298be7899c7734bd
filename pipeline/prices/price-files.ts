/** Price files: `<source>/<asset>.csv` in the price directory, with one price a day. */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset } from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { isDay } from '../base/values/day.js';
import { Decimal } from '../base/values/decimal.js';
import type { DailyQuotes } from './reject-outliers.js';

const HEADER = 'date,usd';
const BYTE_ORDER_MARK = /^\uFEFF/;
const LINE = /^(\d{4}-\d\d-\d\d),(\d+(?:\.\d+)?)$/;

const PLACES_MAX = 30;

/**
 * Returns the file name without `.csv`: the CoinGecko id. Without an id, returns the denom with `-` in place of `/`.
 */
export function assetFileName(asset: Pick<Asset, 'denom' | 'coingecko_id'>): string {
  return asset.coingecko_id ?? asset.denom.replaceAll('/', '-');
}

function readLine(line: string, before: string): { day: string; usd: Decimal } | string {
  const match = LINE.exec(line);
  if (!match) return `must be <YYYY-MM-DD>,<plain decimal>, not ${JSON.stringify(line)}`;
  const [, day, price] = match as unknown as [string, string, string];
  if (!isDay(day)) return `not a calendar date: ${day}`;
  if (day <= before) return `days must ascend, but ${day} follows ${before}`;
  const usd = new Decimal(price);
  return usd.decimalPlaces() > PLACES_MAX ? `more than ${PLACES_MAX} decimal places: ${price}` : { day, usd };
}

function parsePriceFile(text: string, name: string): ReadonlyMap<string, Decimal> {
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

export async function fileQuotes(priceDir: string | undefined, source: string, asset: string): Promise<DailyQuotes> {
  const file = priceDir === undefined ? undefined : join(priceDir, source, `${asset}.csv`);
  if (file === undefined || !existsSync(file)) return new Map();
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError(`${file} cannot be read: ${error.message}`);
  });
  return new Map([...parsePriceFile(text, file)].map(([day, usd]) => [day, { usd, fetched: '' }]));
}

export async function sourceFolders(priceDir: string | undefined): Promise<string[]> {
  if (priceDir === undefined) return [];
  if (!existsSync(priceDir)) throw new ConfigError(`price directory ${priceDir} not found; see HUBLEDGER_PRICE_DIR`);
  const names: string[] = [];
  for (const name of await readdir(priceDir)) {
    if (name.startsWith('.') || !(await stat(join(priceDir, name))).isDirectory()) continue;
    if (!/^[\w.-]+$/.test(name))
      throw new ConfigError(`${join(priceDir, name)}: a source name may contain only A-Z a-z 0-9 _ . -`);
    names.push(name);
  }
  return names.sort();
}
