/** What a price source gives, wherever it has it from. */
import { parseDecimal } from '../ledger/amount.js';

/**
 * Decimal places of a quote: more than any source writes, so that a quote is read exactly and only the published price
 * is rounded.
 */
export const QUOTE_DECIMALS = 30;

/** One source's USD price for one displayed unit of an asset on one UTC day, in units of 10^-30 USD. */
export interface Quote {
  readonly source: string;
  readonly usd: bigint;
}

/** What a source says of one UTC day. */
export interface DailyQuote {
  /** In units of 10^-30 USD. */
  readonly usd: bigint;
  /** When it was fetched, YYYY-MM-DD HH:MM:SS; empty for a file's, which counts as known from the beginning. */
  readonly fetched: string;
}

/** By UTC day (YYYY-MM-DD); a day that the source says nothing about has no entry. */
export type DailyQuotes = ReadonlyMap<string, DailyQuote>;

export interface PriceSource {
  /** As the methodology and the folders of the price directory name it. */
  readonly name: string;
  /** All quotes it has for an asset, which is named by `assetFileName`; none when it does not know the asset. */
  quotes(asset: string): Promise<DailyQuotes>;
}

/**
 * '4.0163' → a quote's units.
 * @throws RangeError when the text is no plain decimal of at most 30 places
 */
export function parseQuote(text: string): bigint {
  return parseDecimal(text, QUOTE_DECIMALS);
}
