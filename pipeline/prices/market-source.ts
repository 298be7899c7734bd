/** Market sources: exchanges and aggregators that are asked over the network, and how they fail. */
import { Decimal } from '../ledger/decimal.js';

/** A market's answer: UTC day → USD for one displayed unit. */
export interface MarketAnswer {
  /** Id of the market, or of the coin. */
  readonly market: string;
  readonly usd: ReadonlyMap<string, Decimal>;
}

export interface MarketSource {
  /** The source's name in the methodology. */
  readonly name: string;
  /**
   * Asks for the closes of UTC days that have ended, both ends inclusive.
   * @param asset its name in price files
   * @returns undefined where the source does not list the asset
   * @throws MarketFailure
   */
  quotes(asset: string, from: string, to: string): Promise<MarketAnswer | undefined>;
}

/** Thrown where a source does not answer as it should. */
export class MarketFailure extends Error {
  /** @param unreachable whether it is not worth asking it for anything else tonight */
  constructor(
    message: string,
    readonly unreachable: boolean,
  ) {
    super(message);
  }
}

const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Largest power of ten, up or down, at which a price is believed. */
const MAGNITUDE_MAX = 60;

/**
 * Reads a price as markets write it: '2.05', '1.2e-7'.
 * @throws MarketFailure when it is no positive number: the source has nothing to say about this asset tonight
 */
export function parsePrice(text: string): Decimal {
  const price = new Decimal(NUMBER.test(text) ? text : 0);
  if (price.isZero() || Math.abs(price.e) > MAGNITUDE_MAX)
    throw new MarketFailure(`not a price: ${JSON.stringify(text.slice(0, 50))}`, false);
  return price;
}
