/** Sources that are asked over the network, and how they fail. */
import { halfUp, parseDecimal, powerOfTen } from '../ledger/amount.js';
import { KEPT_DECIMALS } from './collected-quotes.js';

/** What a market said: UTC day → USD × 10^18 for one displayed unit. */
export interface MarketAnswer {
  /** Id of the market, or of the coin. */
  readonly market: string;
  readonly usd: ReadonlyMap<string, bigint>;
}

export interface MarketSource {
  /** As the methodology names it. */
  readonly name: string;
  /**
   * Closes of ended UTC days, both ends inclusive.
   * @param asset as price files name it
   * @returns undefined where the source does not list the asset
   * @throws MarketFailure
   */
  quotes(asset: string, from: string, to: string): Promise<MarketAnswer | undefined>;
}

/** A source that did not answer as it should. */
export class MarketFailure extends Error {
  /** @param unreachable whether it is not worth asking it for anything else tonight */
  constructor(
    message: string,
    readonly unreachable: boolean,
  ) {
    super(message);
  }
}

const DAY_MS = 86_400_000;

/** Milliseconds since 1970 of a UTC day's first instant. */
export const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** The UTC day `days` later (earlier when negative). */
export const shifted = (day: string, days: number) => dayOf(startOf(day) + days * DAY_MS);

export const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);

/** Every UTC day from the first to the last. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = shifted(day, 1)) days.push(day);
  return days;
}

const NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A price as markets write it ('2.05', '1.2e-7') → USD × 10^18, rounded half-up.
 * @throws RangeError when it is no positive number
 */
export function parsePrice(text: string): bigint {
  const match = NUMBER.exec(text);
  if (!match) throw new RangeError(`not a price: ${JSON.stringify(text.slice(0, 50))}`);
  const [, whole, fraction = '', exponent = '0'] = match;
  const digits = parseDecimal(`${whole}${fraction}`, 0);
  const places = KEPT_DECIMALS - fraction.length + Number(exponent);
  if (digits === 0n || Math.abs(places) > 60) throw new RangeError(`not a price: ${text.slice(0, 50)}`);
  return places >= 0 ? digits * powerOfTen(places) : halfUp(digits, powerOfTen(-places));
}

/** Price × rate, both × 10^18. */
export const converted = (price: bigint, rate: bigint) => halfUp(price * rate, powerOfTen(KEPT_DECIMALS));
