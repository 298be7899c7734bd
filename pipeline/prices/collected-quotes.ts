/** Market quotes stored by earlier nightly runs. The first quote of a day is final. */
import type { CollectedQuote } from '../../schemas/types.generated.js';
import { fromUnits } from '../ledger/decimal.js';
import type { DailyQuote, DailyQuotes } from './price-source.js';

export const KEPT_DECIMALS = 18;

export class CollectedQuotes {
  private readonly bySource = new Map<string, Map<string, DailyQuote>>();
  private readonly asked = new Set<string>();

  /** @param rows in fetch order */
  constructor(rows: Iterable<CollectedQuote>) {
    for (const { source, asset, day, usd, fetched_at } of rows) {
      this.asked.add(`${source} ${asset} ${day}`);
      if (usd === null) continue;
      const quotes = this.bySource.get(`${source} ${asset}`) ?? new Map<string, DailyQuote>();
      this.bySource.set(`${source} ${asset}`, quotes);
      if (!quotes.has(day)) quotes.set(day, { usd: fromUnits(usd, KEPT_DECIMALS), fetched: fetched_at });
    }
  }

  quotes(source: string, asset: string): DailyQuotes {
    return this.bySource.get(`${source} ${asset}`) ?? new Map();
  }

  /** True even if the source had no quote. */
  wasAsked(source: string, asset: string, day: string): boolean {
    return this.asked.has(`${source} ${asset} ${day}`);
  }
}
