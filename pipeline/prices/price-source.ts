/** Quotes per source and UTC day. */
import type { Decimal } from '../ledger/decimal.js';

/** USD per displayed unit on one UTC day. */
export interface Quote {
  readonly source: string;
  readonly usd: Decimal;
}

export interface DailyQuote {
  readonly usd: Decimal;
  /** YYYY-MM-DD HH:MM:SS; '' for price files, which count as always known. */
  readonly fetched: string;
}

/** By UTC day (YYYY-MM-DD). */
export type DailyQuotes = ReadonlyMap<string, DailyQuote>;

export interface PriceSource {
  /** As in the methodology and the price directory. */
  readonly name: string;
  /** Returns all quotes of an asset (`assetFileName`). */
  quotes(asset: string): Promise<DailyQuotes>;
}
