/**
 * Fetches missing quotes from markets. Requests only past days without a price. Stored quotes are never replaced, so
 * published prices stay the same within a methodology version.
 */

import { addDays, DAY_MS, dayOf, daysThrough, startOf } from '../base/values/day.js';
import { type Config, readsNode } from '../config.js';
import type { Reference } from '../reference.js';
import { assetFileName, fileQuotes } from './daily-prices.js';
import { MarketFailure, type MarketSource } from './market-source.js';
import { type FetchedQuote, QuoteArchive } from './quote-archive.js';
import { type DailyQuotes, priceDays } from './reject-outliers.js';
import { marketSources } from './sources/index.js';

const ROTATION = 8;

export interface PriceNight {
  readonly config: Pick<Config, 'dataDir' | 'priceDir' | 'priceSources' | 'rpcUrls' | 'now'>;
  readonly reference: Reference;
  /** Block times, RFC 3339 in UTC. */
  readonly span: { readonly firstTime: string; readonly lastTime: string };
  readonly progress: { say(text: string): void };
}

/**
 * Fetches missing quotes, unless the blocks come from a recording.
 * @returns all stored quotes; undefined if HUBLEDGER_PRICE_SOURCES=none
 */
export async function fetchQuotes(
  night: PriceNight,
  fetchImplementation: typeof fetch = fetch,
): Promise<QuoteArchive | undefined> {
  const { config, reference, progress } = night;
  if (config.priceSources === 'none') return undefined;
  const archive = await QuoteArchive.open(config.dataDir, reference.methodology.version);
  const days = endedDays(night);
  if (!readsNode(config) || days.from > days.to) return archive;
  const names = config.priceSources ?? reference.methodology.parameters.sources;
  const { assets, priceMarkets } = reference;
  const today = dayOf(config.now().getTime());
  const sources = await marketSources({ ...days, assets, priceMarkets, today, fetch: fetchImplementation });
  const open: OpenDays[] = [];
  for (const asset of assetsInOrder(night)) open.push(await openDays(asset, names, days, archive, night));
  const failures: string[] = [];
  const asked = sources.filter(({ name }) => names.includes(name));
  const found = await Promise.all(asked.map((source) => askSource(source, open, archive, night, failures)));
  for (const failure of failures) progress.say(`prices: ${failure}`);
  const rows = found.flat();
  if (rows.length > 0) await archive.add(rows);
  else if (failures.length > 0) progress.say('prices: no market answered; prices stay unchanged');
  return archive;
}

interface Days {
  readonly from: string;
  readonly to: string;
}

function endedDays({ span, config }: PriceNight): Days {
  const yesterday = addDays(dayOf(config.now().getTime()), -1);
  const [to] = [span.lastTime.slice(0, 10), yesterday].sort();
  return { from: span.firstTime.slice(0, 10), to: to! };
}

/**
 * Returns assets in the order of requests, native coin first. The order of the other assets changes each day, because
 * rate limits may end a run before all assets have been requested.
 */
function assetsInOrder({ config, reference: { assets, chain } }: PriceNight): string[] {
  const named = assets.filter(({ coingecko_id }) => coingecko_id !== undefined);
  const native = named.filter(({ denom }) => denom === chain.native_denom);
  const others = [...new Set(named.map(assetFileName))];
  const first = (Math.floor(config.now().getTime() / DAY_MS) * ROTATION) % others.length;
  return [...new Set([...native.map(assetFileName), ...others.slice(first), ...others.slice(0, first)])];
}

interface OpenDays {
  readonly asset: string;
  readonly days: readonly string[];
  readonly known: ReadonlyMap<string, DailyQuotes>;
}

async function openDays(
  asset: string,
  sources: readonly string[],
  { from, to }: Days,
  archive: QuoteArchive,
  { config, reference }: PriceNight,
): Promise<OpenDays> {
  const known = new Map<string, DailyQuotes>();
  for (const source of sources) {
    const files = await fileQuotes(config.priceDir, source, asset);
    known.set(source, new Map([...archive.quotes(source, asset), ...files]));
  }
  const priced = priceDays(known, reference.methodology.parameters);
  const isOpen = (day: string) => (priced.get(day)?.usd ?? null) === null;
  return { asset, days: daysThrough(from, to).filter(isOpen), known };
}

async function askSource(
  source: MarketSource,
  open: readonly OpenDays[],
  archive: QuoteArchive,
  { config, reference }: PriceNight,
  failures: string[],
): Promise<FetchedQuote[]> {
  const now = config.now();
  const fetched_at = now.toISOString().slice(0, 19).replace('T', ' ');
  const retryMs = reference.methodology.parameters.retry_days * DAY_MS;
  const isDue = (asset: string, day: string) =>
    now.getTime() - (startOf(day) + DAY_MS) < retryMs || !archive.wasAsked(source.name, asset, day);
  const rows: FetchedQuote[] = [];
  for (const { asset, days, known } of open) {
    const asking = days.filter((day) => !known.get(source.name)?.has(day) && isDue(asset, day));
    if (asking.length === 0) continue;
    try {
      const answer = await source.quotes(asset, asking[0]!, asking.at(-1)!);
      if (!answer) continue;
      for (const day of asking) {
        const usd = answer.usd.get(day) ?? null;
        rows.push({ asset, day, source: source.name, market: answer.market, usd, fetched_at });
      }
    } catch (error) {
      if (!(error instanceof MarketFailure)) throw error;
      failures.push(error.message);
      if (error.unreachable) return rows;
    }
  }
  return rows;
}
