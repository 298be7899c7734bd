/**
 * Requests missing quotes. A day is requested once it is over and until it has a price. Quotes are never replaced, so a
 * published price never changes within a methodology version.
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
  /** Asset names as in price files, in request order. */
  readonly assets: readonly string[];
  readonly collected: CollectedQuotes;
  readonly known: (asset: string) => Promise<ReadonlyMap<string, DailyQuotes>>;
  readonly parameters: Methodology['parameters'];
  /** First and last UTC day that need a price; the last day is over. */
  readonly from: string;
  readonly to: string;
  readonly now: Date;
  /** Called for each failed request. */
  readonly onFailure: (message: string) => void;
}

export async function collectMarket(options: MarketOptions): Promise<CollectedQuote[]> {
  const { sources, assets } = options;
  const open = new Map<string, OpenDays>();
  for (const asset of assets) open.set(asset, await openDays(asset, options));
  const found = await Promise.all(sources.map((source) => askSource(source, open, options)));
  return found.flat();
}

/** Days without a price, and known quotes. */
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

/** Checks whether to request a day: repeatedly for recent days, once for older days. */
function isWorthAsking(
  { name }: MarketSource,
  asset: string,
  day: string,
  { collected, parameters, now }: MarketOptions,
): boolean {
  const age = now.getTime() - (startOf(day) + DAY_MS);
  return age < parameters.retry_days * DAY_MS || !collected.wasAsked(name, asset, day);
}
