/**
 * Computes daily prices: the median of quotes from price files and the archive. Tokenized shares (x/liquid) get the
 * price of the coins for which they can be redeemed. Price files are `<price directory>/<source>/<asset>.csv` with the
 * header `date,usd` and ascending UTC days. A malformed line stops the nightly run, because skipping the line would
 * change the median.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, Manifest, Methodology, Price, ValidatorDay } from '../../schemas/types.generated.js';
import { formatDecimal, halfUp, PRICE_DECIMALS, powerOfTen } from '../base/values/amount.js';
import { toUnits } from '../base/values/decimal.js';
import { assetFileName, fileQuotes, sourceFolders } from './price-files.js';
import type { QuoteArchive } from './quote-archive.js';
import { type DailyQuotes, priceDays } from './reject-outliers.js';

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
  return halfUp(coin * tokens * powerOfTen(SHARE_DECIMALS), shares);
}
