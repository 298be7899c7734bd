import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, Methodology, Price } from '../../schemas/types.generated.js';
import type { CollectedQuotes } from './collected-quotes.js';
import { judgeDays } from './judge-days.js';
import { assetFileName, fileSource, sourceFolders } from './price-files.js';
import type { DailyQuotes, PriceSource } from './price-source.js';

export interface CollectOptions {
  /** Contains `<source>/<asset>.csv`; undefined without price files. */
  readonly priceDir: string | undefined;
  /** Names of sources. undefined: the methodology's sources; 'none': all folders of the price directory. */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly assets: readonly Asset[];
  readonly methodology: Methodology;
  /** A price file wins for the same source and day. */
  readonly collected?: CollectedQuotes;
  /** First and last UTC day, inclusive. */
  readonly from: string;
  readonly to: string;
}

const ascending = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

type SourceOptions = Pick<CollectOptions, 'priceDir' | 'priceSources' | 'methodology'>;

async function chooseSources({ priceDir, priceSources, methodology }: SourceOptions): Promise<Set<string>> {
  const folders = await sourceFolders(priceDir);
  return new Set(priceSources === 'none' ? folders : (priceSources ?? methodology.parameters.sources));
}

/** Lists unused price files, whose names may be mistyped. */
export async function unreadFiles(options: SourceOptions & Pick<CollectOptions, 'assets'>): Promise<string[]> {
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

/** Adds collected quotes on days that the files lack. */
function withCollected({ name, quotes }: PriceSource, collected?: CollectedQuotes): PriceSource {
  return {
    name,
    quotes: async (asset) => new Map([...(collected?.quotes(name, asset) ?? []), ...(await quotes(asset))]),
  };
}

/**
 * Returns all prices sorted by denom and day.
 * @throws ConfigError for a missing price directory or a malformed line
 */
export async function collectPrices(options: CollectOptions): Promise<Price[]> {
  const { assets, methodology, from, to, priceDir, collected } = options;
  const chosen = await chooseSources(options);
  const sources = [...chosen].map((name) => withCollected(fileSource(priceDir, name), collected));
  const prices: Price[] = [];
  for (const asset of [...assets].sort((a, b) => ascending(a.denom, b.denom))) {
    const quotes = new Map<string, DailyQuotes>();
    for (const source of sources) quotes.set(source.name, await source.quotes(assetFileName(asset)));
    for (const [day, { usd, sources, rejected }] of judgeDays(quotes, methodology.parameters)) {
      if (usd === null || day < from || day > to) continue;
      const who = { sources: sources.join(','), rejected: rejected.join(',') };
      prices.push({ denom: asset.denom, day, usd, ...who, methodology_version: methodology.version });
    }
  }
  return prices;
}
