/** From what the sources say to the published series: one row per denom and UTC day that has a price. */
import type { Asset, Methodology, Price } from '../../schemas/types.generated.js';
import { ConfigError } from '../config.js';
import { aggregateDay } from './aggregate.js';
import type { CollectedQuotes } from './collected-quotes.js';
import { assetFileName, fileSource, sourceFolders } from './price-files.js';
import type { DailyQuotes, PriceSource } from './price-source.js';

export interface CollectOptions {
  /** Folder of `<source>/<asset>.csv`. */
  readonly priceDir: string;
  /** Names of sources; undefined: those of the methodology; 'none': every folder of the price directory. */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly assets: readonly Asset[];
  readonly methodology: Methodology;
  /** What was collected from markets. A price file's quote of the same source and day counts in its place. */
  readonly collected?: CollectedQuotes;
  /** First and last UTC day of the answer, YYYY-MM-DD, inclusive. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
const ascending = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

async function chooseSources({
  priceDir,
  priceSources,
  methodology,
  collected,
}: CollectOptions): Promise<PriceSource[]> {
  const folders = await sourceFolders(priceDir);
  const chosen = priceSources === 'none' ? folders : (priceSources ?? methodology.parameters.sources);
  const known = new Set([...folders, ...methodology.parameters.sources]);
  for (const name of chosen) {
    if (!known.has(name)) {
      throw new ConfigError(
        `HUBLEDGER_PRICE_SOURCES names ${name}, which is neither in the methodology nor in ${priceDir}`,
      );
    }
  }
  return [...new Set(chosen)].map((name) => withCollected(fileSource(priceDir, name), collected));
}

/** A source's files, and for days that they lack what was collected from it. */
function withCollected({ name, quotes }: PriceSource, collected?: CollectedQuotes): PriceSource {
  return {
    name,
    quotes: async (asset) => new Map([...(collected?.quotes(name, asset) ?? []), ...(await quotes(asset))]),
  };
}

/** One asset's published days in ascending order. Days are judged in order, because a rejection is remembered for a day. */
function* publishedDays(quotes: ReadonlyMap<string, DailyQuotes>, methodology: Methodology) {
  const days = [...new Set([...quotes.values()].flatMap((daily) => [...daily.keys()]))].sort();
  let before: { day: string; rejected: ReadonlySet<string> } | undefined;
  for (const day of days) {
    const said = [...quotes].flatMap(([source, daily]) => {
      const usd = daily.get(day);
      return usd === undefined ? [] : [{ source, usd }];
    });
    const rejectedBefore = before && dayAfter(before.day) === day ? before.rejected : undefined;
    const { usd, sources, rejected } = aggregateDay(said, methodology.parameters, rejectedBefore);
    before = { day, rejected: new Set(rejected) };
    if (usd !== null) yield { day, usd, sources: sources.join(','), rejected: rejected.join(',') };
  }
}

/**
 * The published prices of every asset that has quotes, sorted by denom and day. The same files give the same rows,
 * whatever range is asked for.
 * @throws ConfigError for a missing price directory, an unknown source or a malformed line of a file
 */
export async function collectPrices(options: CollectOptions): Promise<Price[]> {
  const { assets, methodology, from, to } = options;
  const sources = await chooseSources(options);
  const prices: Price[] = [];
  for (const asset of [...assets].sort((a, b) => ascending(a.denom, b.denom))) {
    const quotes = new Map<string, DailyQuotes>();
    for (const source of sources) quotes.set(source.name, await source.quotes(assetFileName(asset)));
    for (const price of publishedDays(quotes, methodology)) {
      if (price.day < from || price.day > to) continue;
      prices.push({ denom: asset.denom, ...price, methodology_version: methodology.version });
    }
  }
  return prices;
}
