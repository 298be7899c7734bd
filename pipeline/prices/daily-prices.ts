/**
 * Computes daily prices: the median of quotes from price files and the archive. Tokenized shares (x/liquid) get the
 * price of the coins for which they can be redeemed. Price files are `<price directory>/<source>/<asset>.csv` with the
 * header `date,usd` and ascending UTC days. A malformed line stops the nightly run, because skipping the line would
 * change the median.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, Manifest, Methodology, Price, ValidatorDay } from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { formatDecimal, PRICE_DECIMALS } from '../base/values/amount.js';
import { isDay } from '../base/values/day.js';
import { Decimal, fromUnits, toUnits } from '../base/values/decimal.js';
import type { QuoteArchive } from './quote-archive.js';
import { type DailyQuotes, priceDays } from './reject-outliers.js';

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

export interface PriceOptions {
  readonly priceDir: string | undefined;
  /**
   * Names of price sources. If undefined, the methodology's sources are used. 'none' means only price files, from every
   * folder of the price directory.
   */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly assets: readonly Asset[];
  readonly methodology: Methodology;
  /** Stored quotes. A price file takes precedence for the same source and day. */
  readonly archive?: QuoteArchive;
  readonly from: string;
  readonly to: string;
}

const ascending = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

type SourceOptions = Pick<PriceOptions, 'priceDir' | 'priceSources' | 'methodology'>;

async function chooseSources({ priceDir, priceSources, methodology }: SourceOptions): Promise<Set<string>> {
  const folders = await sourceFolders(priceDir);
  return new Set(priceSources === 'none' ? folders : (priceSources ?? methodology.parameters.sources));
}

/** Returns price files that match no source or no asset, for example because their names are misspelled. */
export async function unreadFiles(options: SourceOptions & Pick<PriceOptions, 'assets'>): Promise<string[]> {
  const { priceDir, assets } = options;
  if (priceDir === undefined) return [];
  const chosen = await chooseSources(options);
  const known = new Set(assets.map((asset) => `${assetFileName(asset)}.csv`));
  const unread: string[] = [];
  for (const source of await sourceFolders(priceDir)) {
    const files = (await readdir(join(priceDir, source))).filter((file) => file.endsWith('.csv')).sort();
    unread.push(...files.filter((file) => !chosen.has(source) || !known.has(file)).map((file) => `${source}/${file}`));
  }
  return unread;
}

/** Days that a price file lacks although other files of the directory have them. */
type PriceGap = NonNullable<Manifest['price_gaps']>[number];

/**
 * Returns the gaps of the price files in use. Days before a file's first day are not gaps, because the coin was not
 * listed yet.
 */
export async function priceGaps(options: PriceOptions): Promise<PriceGap[]> {
  const { priceDir, assets, from, to } = options;
  const files: { readonly file: string; readonly days: ReadonlySet<string>; readonly first: string }[] = [];
  for (const source of await chooseSources(options)) {
    for (const name of assets.map(assetFileName)) {
      const days = new Set((await fileQuotes(priceDir, source, name)).keys());
      const [first] = days;
      if (first !== undefined) files.push({ file: `${source}/${name}.csv`, days, first });
    }
  }
  const isInRange = (day: string) => day >= from && day <= to;
  const all = [...new Set(files.flatMap(({ days }) => [...days].filter(isInRange)))].sort();
  return files
    .map(({ file, days, first }) => ({ file, days: all.filter((day) => day > first && !days.has(day)) }))
    .filter(({ days }) => days.length > 0)
    .sort((a, b) => ascending(a.file, b.file));
}

export async function dailyPrices(options: PriceOptions): Promise<Price[]> {
  const { assets, methodology, from, to, priceDir, archive } = options;
  const chosen = await chooseSources(options);
  const prices: Price[] = [];
  for (const asset of [...assets].sort((a, b) => ascending(a.denom, b.denom))) {
    const quotes = new Map<string, DailyQuotes>();
    const name = assetFileName(asset);
    for (const source of chosen) {
      const files = await fileQuotes(priceDir, source, name);
      quotes.set(source, new Map([...(archive?.quotes(source, name) ?? []), ...files]));
    }
    for (const [day, { usd, sources, rejected }] of priceDays(quotes, methodology.parameters)) {
      if (usd === null || day < from || day > to) continue;
      const who = { sources: sources.join(','), rejected: rejected.join(','), quotes: quotesOf(quotes, day, rejected) };
      prices.push({ denom: asset.denom, day, usd, found: true, ...who, methodology_version: methodology.version });
    }
  }
  return prices;
}

function quotesOf(quotes: ReadonlyMap<string, DailyQuotes>, day: string, rejected: readonly string[]): string {
  const texts = [...quotes].flatMap(([source, daily]) => {
    const quote = daily.get(day);
    if (!quote) return [];
    const usd = formatDecimal(toUnits(quote.usd, PRICE_DECIMALS), PRICE_DECIMALS);
    return [`${source} ${usd}${rejected.includes(source) ? ' rejected' : ''}`];
  });
  return texts.sort(ascending).join(',');
}

/** Name of the source for prices of tokenized shares. */
export const SHARE_PRICE_SOURCE = 'tokens per share at the close × price of the staked coin';

const SHARE_DECIMALS = 18;

export interface ShareDenom {
  readonly denom: string;
  readonly validator: string;
}

export type ShareRate = Pick<ValidatorDay, 'validator' | 'day' | 'tokens' | 'shares'>;

/**
 * Rates by day at which validators' shares are redeemed for coins. A day without blocks has the rate of the last day
 * with blocks.
 */
class ShareRates {
  private readonly rows = new Map<string, ShareRate>();
  private readonly days: readonly string[];
  private readonly closes = new Map<string, string | undefined>();

  constructor(
    rows: Iterable<ShareRate>,
    private readonly unknownFrom: string | null | undefined,
  ) {
    const days = new Set<string>();
    for (const row of rows) {
      days.add(row.day);
      this.rows.set(`${row.validator} ${row.day}`, row);
    }
    this.days = [...days].sort();
  }

  /**
   * Returns a validator's rate on a day. Returns undefined before the validator's first known day, after its removal,
   * and from `unknownFrom` on.
   */
  at(validator: string, day: string): ShareRate | undefined {
    if (this.unknownFrom && day >= this.unknownFrom) return undefined;
    if (!this.closes.has(day)) {
      this.closes.set(
        day,
        this.days.findLast((other) => other <= day),
      );
    }
    return this.rows.get(`${validator} ${this.closes.get(day)}`);
  }
}

/**
 * @param unknownFrom first day with unknown rates, because a slash may have changed them; set only if holdings end
 * before the index
 */
export function sharePrices(
  shares: readonly ShareDenom[],
  coin: readonly Price[],
  closes: Iterable<ShareRate>,
  unknownFrom?: string | null,
): Price[] {
  const rates = new ShareRates(closes, unknownFrom);
  return shares.flatMap(({ denom, validator }) =>
    coin.flatMap((price) => {
      const rate = rates.at(validator, price.day);
      const usd = rate ? sharePrice(price.usd, rate) : 0n;
      return usd > 0n ? [{ ...price, denom, usd, sources: SHARE_PRICE_SOURCE, rejected: '', quotes: '' }] : [];
    }),
  );
}

function sharePrice(coin: bigint, { tokens, shares }: ShareRate): bigint {
  const usd = fromUnits(coin, PRICE_DECIMALS).times(tokens).dividedBy(fromUnits(shares, SHARE_DECIMALS));
  return toUnits(usd, PRICE_DECIMALS);
}
