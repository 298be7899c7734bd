/** Collected quotes: those that earlier nights asked markets for and kept. What a source once said of a day stays. */
import type { CollectedQuote } from '../../schemas/types.generated.js';
import { fromUnits } from '../ledger/decimal.js';
import type { DailyQuote, DailyQuotes } from './price-source.js';

/** Decimal places of a kept quote. */
export const KEPT_DECIMALS = 18;

export class CollectedQuotes {
  private readonly bySource = new Map<string, Map<string, DailyQuote>>();
  private readonly asked = new Set<string>();

  /** @param rows in the order in which they were fetched: of two quotes of one day the first counts */
  constructor(rows: Iterable<CollectedQuote>) {
    for (const { source, asset, day, usd, fetched_at } of rows) {
      this.asked.add(`${source} ${asset} ${day}`);
      if (usd === null) continue;
      const quotes = this.bySource.get(`${source} ${asset}`) ?? new Map<string, DailyQuote>();
      this.bySource.set(`${source} ${asset}`, quotes);
      if (!quotes.has(day)) quotes.set(day, { usd: fromUnits(usd, KEPT_DECIMALS), fetched: fetched_at });
    }
  }

  /** Gives all quotes of a source for an asset, by the asset's name in price files. */
  quotes(source: string, asset: string): DailyQuotes {
    return this.bySource.get(`${source} ${asset}`) ?? new Map();
  }

  /** Tells whether the source has answered for that day before, even if only that it has no quote. */
  wasAsked(source: string, asset: string, day: string): boolean {
    return this.asked.has(`${source} ${asset} ${day}`);
  }
}
