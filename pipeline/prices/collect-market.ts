/**
 * Collecting from markets: the quotes that are not known yet are asked for. A day is asked for once it has ended; what a source says
 * of it is kept for good, and a day that has a price is not asked for again, so that no published price changes under one version of
 * the methodology.
 */
import type { CollectedQuote, Methodology } from '../../schemas/types.generated.js';
import { DAY_MS, daysThrough, startOf } from '../ledger/day.js';
import { toUnits } from '../ledger/decimal.js';
import { type CollectedQuotes, KEPT_DECIMALS } from './collected-quotes.js';
import { judgeDays } from './judge-days.js';
import { MarketFailure, type MarketSource } from './market-source.js';
import type { DailyQuotes } from './price-source.js';

export interface MarketOptions {
  readonly sources: readonly MarketSource[];
  /** Names of assets as price files have them, in the order in which they are asked for. */
  readonly assets: readonly string[];
  readonly collected: CollectedQuotes;
  /** Gives the quotes of an asset that are known already, of files and of earlier nights, by source of the methodology. */
  readonly known: (asset: string) => Promise<ReadonlyMap<string, DailyQuotes>>;
  readonly parameters: Methodology['parameters'];
  /** First and last UTC day that need a price, inclusive; the last has ended. */
  readonly from: string;
  readonly to: string;
  readonly now: Date;
  /** Called with a sentence for each question that a source failed to answer. */
  readonly onFailure: (message: string) => void;
}

/** Asks all sources at once. @returns rows of the sources that answered */
export async function collectMarket(options: MarketOptions): Promise<CollectedQuote[]> {
  const { sources, assets } = options;
  const open = new Map<string, OpenDays>();
  for (const asset of assets) open.set(asset, await openDays(asset, options));
  const found = await Promise.all(sources.map((source) => askSource(source, open, options)));
  return found.flat();
}

/** The open days of an asset, which have no price yet, and the quotes that are known. */
interface OpenDays {
  readonly days: readonly string[];
  readonly known: ReadonlyMap<string, DailyQuotes>;
}

async function openDays(asset: string, { known, parameters, from, to }: MarketOptions): Promise<OpenDays> {
  const quotes = await known(asset);
  const judged = judgeDays(quotes, parameters);
  const isOpen = (day: string) => (judged.get(day)?.usd ?? null) === null;
  return { days: daysThrough(from, to).filter(isOpen), known: quotes };
}

/** Asks one source for asset after asset until it is out of reach. */
async function askSource(
  source: MarketSource,
  open: ReadonlyMap<string, OpenDays>,
  options: MarketOptions,
): Promise<CollectedQuote[]> {
  const { now, onFailure } = options;
  const rows: CollectedQuote[] = [];
  for (const [asset, { days, known }] of open) {
    const asking = days.filter(
      (day) => !known.get(source.name)?.has(day) && isWorthAsking(source, asset, day, options),
    );
    if (asking.length === 0) continue;
    try {
      const answer = await source.quotes(asset, asking[0]!, asking.at(-1)!);
      if (!answer) continue;
      const fetched_at = now.toISOString().slice(0, 19).replace('T', ' ');
      for (const day of asking) {
        const close = answer.usd.get(day);
        const usd = close ? toUnits(close, KEPT_DECIMALS) : null;
        rows.push({ asset, day, source: source.name, market: answer.market, usd, fetched_at });
      }
    } catch (error) {
      if (!(error instanceof MarketFailure)) throw error;
      onFailure(error.message);
      if (error.unreachable) return rows;
    }
  }
  return rows;
}

/** Tells whether a day's gap is asked for: again and again while the day is young, but an old day only once. */
function isWorthAsking(
  { name }: MarketSource,
  asset: string,
  day: string,
  { collected, parameters, now }: MarketOptions,
): boolean {
  const age = now.getTime() - (startOf(day) + DAY_MS);
  return age < parameters.retry_days * DAY_MS || !collected.wasAsked(name, asset, day);
}
