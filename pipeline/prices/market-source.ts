import type { Asset, PriceMarkets } from '../../schemas/types.generated.js';
import { Decimal } from '../base/values/decimal.js';

export interface SourceContext {
  readonly assets: readonly Asset[];
  readonly priceMarkets: PriceMarkets;
  readonly from: string;
  readonly to: string;
  readonly today: string;
  readonly fetch: typeof fetch;
  /** Waits some milliseconds. Tests replace it. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export interface MarketSource {
  readonly name: string;
  /** @param asset name of its price file, usually the CoinGecko id */
  lists(asset: string): boolean;
  /**
   * Fetches closing prices of past UTC days for an asset that the source lists.
   * @throws MarketFailure
   */
  quotes(asset: string, from: string, to: string): Promise<MarketQuotes>;
}

export interface MarketQuotes {
  readonly market: string;
  /** USD per displayed unit (ATOM, not uatom), by UTC day. */
  readonly usd: ReadonlyMap<string, Decimal>;
  /** Days whose price could not be converted, because a market with the rate did not answer. */
  readonly unconverted?: { readonly days: ReadonlySet<string>; readonly failure: MarketFailure };
}

/**
 * Why a market gives no quotes. country, limit and away end the requests to the source for this run. range and unlisted
 * are final: their days are not requested again. After the other faults, the next run repeats the request.
 */
export type MarketFault = 'country' | 'limit' | 'away' | 'range' | 'unlisted' | 'conversion' | 'unreadable';

export class MarketFailure extends Error {
  constructor(
    readonly fault: MarketFault,
    /** A clause without a full stop, for example `binance does not list ATOMUSDT`. */
    message: string,
    readonly market = '',
  ) {
    super(message);
  }

  /** True if this run must not use the source again. */
  get unreachable(): boolean {
    return this.fault === 'country' || this.fault === 'limit' || this.fault === 'away';
  }

  /** True if the source has no quotes for the requested days, so that their absence is stored. */
  get provesAbsence(): boolean {
    return this.fault === 'range' || this.fault === 'unlisted';
  }
}

const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const MAGNITUDE_MAX = 60;

/** Parses a positive number from the text of a reply. @throws MarketFailure */
export function parsePrice(text: string): Decimal {
  const price = new Decimal(NUMBER.test(text) ? text : 0);
  if (price.isZero() || Math.abs(price.e) > MAGNITUDE_MAX)
    throw new MarketFailure('unreadable', `not a price: ${JSON.stringify(text.slice(0, 50))}`);
  return price;
}
