/**
 * Fetches missing quotes from markets. Requests only past days without a price. Stored quotes are never replaced, so
 * published prices stay the same within a methodology version.
 */

import { addDays, DAY_MS, dayOf, daysThrough, startOf } from '../base/values/day.js';
import { type Config, readsNode } from '../config.js';
import type { Reference } from '../reference.js';
import { MarketFailure, type MarketSource, type SourceContext } from './market-source.js';
import { assetFileName, fileQuotes } from './price-files.js';
import { type FetchedQuote, QuoteArchive } from './quote-archive.js';
import { type DailyQuotes, priceDays } from './reject-outliers.js';
import { recordSources, type SourceOutcome } from './source-nights.js';
import { marketSources } from './sources/index.js';

const ROTATION = 8;

export interface PriceNight {
  readonly config: Pick<Config, 'dataDir' | 'priceDir' | 'priceSources' | 'rpcUrls' | 'now'>;
  readonly reference: Reference;
  /** Block times, RFC 3339 in UTC. */
  readonly span: { readonly firstTime: string; readonly lastTime: string };
  readonly progress: { say(text: string): void };
  /** Waits some milliseconds. Tests replace it. */
  readonly wait?: SourceContext['wait'];
}

/**
 * Fetches missing quotes, unless the blocks come from a recording.
 * @returns all stored quotes; undefined if HUBLEDGER_PRICE_SOURCES=none
 */
export async function fetchQuotes(
  night: PriceNight,
  fetchImplementation: typeof fetch = fetch,
): Promise<QuoteArchive | undefined> {
  const { config, reference, progress, wait } = night;
  if (config.priceSources === 'none') return undefined;
  const { version, parameters } = reference.methodology;
  const archive = await QuoteArchive.open(config.dataDir, version, parameters.quotes_since);
  const days = endedDays(night);
  if (!readsNode(config) || days.from > days.to) return archive;
  const names = config.priceSources ?? reference.methodology.parameters.sources;
  const { assets, priceMarkets } = reference;
  const today = dayOf(config.now().getTime());
  const context = { ...days, assets, priceMarkets, today, fetch: fetchImplementation, ...(wait && { wait }) };
  const sources = marketSources(context).filter(({ name }) => names.includes(name));
  const open: OpenDays[] = [];
  for (const asset of assetsInOrder(night)) open.push(await openDays(asset, names, days, archive, night));
  const outcomes = await Promise.all(sources.map((source) => askSource(source, open, archive, night)));
  const rows = outcomes.flatMap((one) => one.rows);
  const failures = recordSources(outcomes, config);
  for (const failure of failures) progress.say(`prices: ${failure}`);
  if (rows.length > 0) await archive.add(rows);
  else if (failures.length > 0) progress.say('prices: no market answered; prices stay unchanged');
  archive.unreached = unreachedDays(open, sources, archive);
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
): Promise<SourceOutcome> {
  const now = config.now();
  const fetched_at = now.toISOString().slice(0, 19).replace('T', ' ');
  const retryMs = reference.methodology.parameters.retry_days * DAY_MS;
  const isDue = (asset: string, day: string) =>
    now.getTime() - (startOf(day) + DAY_MS) < retryMs || !archive.wasRequested(source.name, asset, day);
  const rows: FetchedQuote[] = [];
  const failures: SourceOutcome['failures'][number][] = [];
  for (const { asset, days, known } of open) {
    const asking = days.filter((day) => !known.get(source.name)?.has(day) && isDue(asset, day));
    if (asking.length === 0 || !source.lists(asset)) continue;
    const row = { asset, source: source.name, fetched_at };
    try {
      const { market, usd, unconverted } = await source.quotes(asset, asking[0]!, asking.at(-1)!);
      const pricedDays = asking.filter((day) => !unconverted?.days.has(day));
      rows.push(...pricedDays.map((day) => ({ ...row, day, market, usd: usd.get(day) ?? null })));
      if (unconverted) failures.push({ asset, failure: unconverted.failure });
    } catch (error) {
      if (!(error instanceof MarketFailure)) throw error;
      failures.push({ asset, failure: error });
      if (error.provesAbsence) rows.push(...asking.map((day) => ({ ...row, day, market: error.market, usd: null })));
      if (error.unreachable) break;
    }
  }
  return { name: source.name, rows, failures };
}

/** Returns the days without a price for which no market that lists the asset has ever answered. */
function unreachedDays(
  open: readonly OpenDays[],
  sources: readonly MarketSource[],
  archive: QuoteArchive,
): ReadonlyMap<string, readonly string[]> {
  const unreached = open.map(({ asset, days, known }) => {
    const listing = sources.filter((source) => source.lists(asset));
    const isUnreached = (day: string) =>
      listing.every(({ name }) => !archive.wasRequested(name, asset, day) && !known.get(name)?.has(day));
    return [asset, listing.length === 0 ? [] : days.filter(isUnreached)] as const;
  });
  return new Map(unreached.filter(([, days]) => days.length > 0));
}
