import type { Asset, PriceMarkets } from '../../schemas/types.generated.js';
import { Decimal } from '../base/values/decimal.js';

export interface SourceContext {
  readonly assets: readonly Asset[];
  readonly priceMarkets: PriceMarkets;
  readonly from: string;
  readonly to: string;
  readonly today: string;
  readonly fetch: typeof fetch;
}

export interface MarketSource {
  readonly name: string;
  /**
   * Fetches closing prices of past UTC days. Returns undefined if the source does not list the asset.
   * @param asset name of its price file, usually the CoinGecko id
   * @throws MarketFailure
   */
  quotes(asset: string, from: string, to: string): Promise<MarketAnswer | undefined>;
}

export interface MarketAnswer {
  readonly market: string;
  /** USD per displayed unit (ATOM, not uatom), by UTC day. */
  readonly usd: ReadonlyMap<string, Decimal>;
}

export class MarketFailure extends Error {
  /** @param unreachable true if this run must not use the source again */
  constructor(
    message: string,
    readonly unreachable: boolean,
  ) {
    super(message);
  }
}

const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const MAGNITUDE_MAX = 60;

export function parsePrice(text: string): Decimal {
  const price = new Decimal(NUMBER.test(text) ? text : 0);
  if (price.isZero() || Math.abs(price.e) > MAGNITUDE_MAX)
    throw new MarketFailure(`not a price: ${JSON.stringify(text.slice(0, 50))}`, false);
  return price;
}

/** Fetches a text. @throws MarketFailure; unless the status is 404, this run does not use the source again */
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
