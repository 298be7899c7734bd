/** The interface of a price source that nights fetch quotes from. Implementations: sources/. */
import type { Asset, PriceMarkets } from '../../schemas/types.generated.js';
import { Decimal } from '../ledger/decimal.js';

export interface SourceContext {
  readonly assets: readonly Asset[];
  readonly priceMarkets: PriceMarkets;
  /** First and last UTC day that any asset may be requested for. */
  readonly from: string;
  readonly to: string;
  readonly today: string;
  readonly fetch: typeof fetch;
}

export interface MarketSource {
  /** As in the methodology. */
  readonly name: string;
  /**
   * Fetches closes of UTC days that are over. Returns undefined if the source does not list the asset.
   * @param asset name as in price files, mostly the CoinGecko id
   * @throws MarketFailure
   */
  quotes(asset: string, from: string, to: string): Promise<MarketAnswer | undefined>;
}

export interface MarketAnswer {
  readonly market: string;
  /** UTC day → USD per displayed unit. */
  readonly usd: ReadonlyMap<string, Decimal>;
}

export class MarketFailure extends Error {
  /** @param unreachable true to skip the source for the rest of the night */
  constructor(
    message: string,
    readonly unreachable: boolean,
  ) {
    super(message);
  }
}

const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const MAGNITUDE_MAX = 60;

/**
 * Parses a positive market price such as '2.05' or '1.2e-7'.
 * @throws MarketFailure for anything else; the night then skips the asset
 */
export function parsePrice(text: string): Decimal {
  const price = new Decimal(NUMBER.test(text) ? text : 0);
  if (price.isZero() || Math.abs(price.e) > MAGNITUDE_MAX)
    throw new MarketFailure(`not a price: ${JSON.stringify(text.slice(0, 50))}`, false);
  return price;
}

/**
 * Fetches a text.
 * @throws MarketFailure naming the source; only a 404 concerns the asset alone
 */
export async function fetchText(source: string, url: string, fetchImplementation: typeof fetch): Promise<string> {
  try {
    const response = await fetchImplementation(url, { signal: AbortSignal.timeout(20_000) });
    if (response.ok) return await response.text();
    throw new MarketFailure(`${source} answers ${response.status}`, response.status !== 404);
  } catch (error) {
    if (error instanceof MarketFailure) throw error;
    throw new MarketFailure(`${source}: ${(error as Error).message}`, true);
  }
}
