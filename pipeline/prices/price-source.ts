/** Price sources: what a file, an exchange or an aggregator says an asset cost on a UTC day. */
import type { Decimal } from '../ledger/decimal.js';

/** A quote: one source's USD price for one displayed unit of an asset on one UTC day. */
export interface Quote {
  readonly source: string;
  readonly usd: Decimal;
}

/** A quote in the series of its source. */
export interface DailyQuote {
  readonly usd: Decimal;
  /** The time at which it was fetched, YYYY-MM-DD HH:MM:SS; empty for a file's quote, which counts as known from the beginning. */
  readonly fetched: string;
}

/** A source's quotes by UTC day (YYYY-MM-DD); a day that it says nothing about has no entry. */
export type DailyQuotes = ReadonlyMap<string, DailyQuote>;

export interface PriceSource {
  /** The source's name in the methodology and in the price directory. */
  readonly name: string;
  /** Gives all its quotes for an asset by the name of `assetFileName`; none when it does not know the asset. */
  quotes(asset: string): Promise<DailyQuotes>;
}
