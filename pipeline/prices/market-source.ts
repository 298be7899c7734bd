import { Decimal } from '../ledger/decimal.js';

/** UTC day → USD per displayed unit. */
export interface MarketAnswer {
  /** Market or coin id. */
  readonly market: string;
  readonly usd: ReadonlyMap<string, Decimal>;
}

export interface MarketSource {
  /** As in the methodology. */
  readonly name: string;
  /**
   * Fetches closes of UTC days that are over. Returns undefined if the source does not list the asset.
   * @param asset name as in price files
   * @throws MarketFailure
   */
  quotes(asset: string, from: string, to: string): Promise<MarketAnswer | undefined>;
}

export class MarketFailure extends Error {
  /** @param unreachable true to skip the source for the rest of the run */
  constructor(
    message: string,
    readonly unreachable: boolean,
  ) {
    super(message);
  }
}

const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Largest accepted power of ten, up or down. */
const MAGNITUDE_MAX = 60;

/**
 * Parses a positive market price such as '2.05' or '1.2e-7'.
 * @throws MarketFailure for anything else; the asset is then skipped in this run
 */
export function parsePrice(text: string): Decimal {
  const price = new Decimal(NUMBER.test(text) ? text : 0);
  if (price.isZero() || Math.abs(price.e) > MAGNITUDE_MAX)
    throw new MarketFailure(`not a price: ${JSON.stringify(text.slice(0, 50))}`, false);
  return price;
}
