import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, Methodology, Price } from '../../schemas/types.generated.js';
import { assetFileName, fileQuotes, sourceFolders } from './price-files.js';
import type { QuoteArchive } from './quote-archive.js';
import { type DailyQuotes, priceDays } from './reject-outliers.js';

export interface PriceOptions {
  readonly priceDir: string | undefined;
  /**
   * Names of the price sources. If undefined, the methodology's sources; if 'none', all folders of the price directory.
   */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly assets: readonly Asset[];
  readonly methodology: Methodology;
  /** If a price file has a price for the same source and day, it is used instead. */
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

/** Returns price files that nothing reads, perhaps because their names are mistyped. */
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

/** @throws ConfigError if the price directory is missing, or if a line of a price file is malformed */
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
      const who = { sources: sources.join(','), rejected: rejected.join(',') };
      prices.push({ denom: asset.denom, day, usd, ...who, methodology_version: methodology.version });
    }
  }
  return prices;
}
