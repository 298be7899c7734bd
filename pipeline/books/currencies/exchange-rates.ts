/**
 * Converts values by euro reference rates. A value in another currency is quantity × price in USD × units of the
 * currency per euro ÷ USD per euro, rounded once. Both rates are of the same day. An amount that an owner states in
 * another currency is converted the other way: amount × USD per euro ÷ units of the currency per euro.
 *
 * Example: 2.5 ATOM on Good Friday, 2026-04-03, at 4.301 USD, in yen. The bank's last day before was 2026-04-02, with
 * 183.94 JPY and 1.1525 USD for one euro: 2.5 × 4.301 × 183.94 ÷ 1.1525 = 1716.10…, which is 1716 yen.
 */
import { quoted } from '../../base/json/quoted.js';
import { halfUp, PRICE_DECIMALS, powerOfTen, RATE_DECIMALS } from '../../base/values/amount.js';
import { addDays } from '../../base/values/day.js';
import { type Decimal, toUnits } from '../../base/values/decimal.js';
import type { Currency } from './currency.js';
import { currencyOf } from './index.js';
import { usd } from './usd.js';

/** Days before the day of a value in which its exchange rate is searched (rule of the methodology). */
export const RATE_DAYS_BACK = 7;

const EURO = 'EUR';
const ONE = powerOfTen(RATE_DECIMALS);
/** Rates of a value in USD. */
const PAR = { perEur: ONE, usdPerEur: ONE };

/** Both rates of a day, in units × 10^6 for one euro. */
export interface RateOfDay {
  /** Day of the bank, YYYY-MM-DD. */
  readonly day: string;
  readonly perEur: bigint;
  readonly usdPerEur: bigint;
}

/** A row of the table exchange_rates. */
type Row = readonly [day: string, currency: string, perEur: bigint];

export class ExchangeRates {
  /** Currencies in which values can be given: USD, EUR, and all with a rate on any day, by code. */
  readonly currencies: readonly Currency[];
  /** Last day with any rate; null if there is none. */
  readonly lastDay: string | null;
  private readonly byDay = new Map<string, Map<string, bigint>>();

  constructor(rows: Iterable<Row> = []) {
    const codes = new Set([usd.code, EURO]);
    for (const [day, currency, perEur] of rows) {
      const rates = this.byDay.get(day) ?? new Map([[EURO, ONE]]);
      this.byDay.set(day, rates.set(currency, perEur));
      codes.add(currency);
    }
    this.lastDay = [...this.byDay.keys()].sort().at(-1) ?? null;
    this.currencies = [...codes].sort().map(currencyOf);
  }

  /** Returns a currency in which values can be given. */
  currencyNamed = (code: string): Currency | undefined => this.currencies.find((currency) => currency.code === code);

  /**
   * Returns the rates of a day, or of the last day before it that has a rate of the currency and one of USD.
   * @returns null if no day of the last seven has both
   */
  rateOn(day: string, currency: string): RateOfDay | null {
    for (let back = 0; back <= RATE_DAYS_BACK; back++) {
      const earlier = addDays(day, -back);
      const rates = this.byDay.get(earlier);
      const [perEur, usdPerEur] = [rates?.get(currency), rates?.get(usd.code)];
      if (perEur !== undefined && usdPerEur !== undefined) return { day: earlier, perEur, usdPerEur };
    }
    return null;
  }

  /**
   * Returns an amount of a currency in minor units of the books by the rates of a day, rounded half up.
   * @returns null if the day has no rate
   */
  inMinorUnits(amount: Decimal, currency: string, day: string, books: Currency = usd): bigint | null {
    if (currency === books.code) return toUnits(amount, books.minorDigits);
    const [from, to] = [currency, books.code].map((code) => (code === usd.code ? PAR : this.rateOn(day, code)));
    if (!from || !to) return null;
    const [multiplier, divisor] = [from.usdPerEur * to.perEur, from.perEur * to.usdPerEur];
    return toUnits(amount.times(String(multiplier)).dividedBy(String(divisor)), books.minorDigits);
  }
}

/** Describes a code that names no currency in which values can be given. */
export const unknownCurrency = (code: string): string =>
  `is not ${usd.code}, ${EURO} or a currency of the table exchange_rates: ${quoted(code)}`;

/**
 * Describes an amount that cannot be converted, because its day has no rate.
 * @param member name of the amount, without its currency
 */
export function withoutRate(member: string, currency: string, day: string, { code }: Currency = usd): string {
  const without = currency === usd.code ? code : currency;
  const instead = code === usd.code ? `${member}_${code.toLowerCase()}` : `${member} in ${code}`;
  return `has no exchange rate: the table exchange_rates has none of ${without} for ${day} or the ${RATE_DAYS_BACK} days before: state ${instead} instead`;
}

/**
 * Returns the value of a quantity in minor units of a currency, rounded half up.
 * @param price micro-USD per displayed unit; null if the day has no price
 * @param rate rates of the day; USD needs none
 * @returns null if the value is unknown
 */
export function valueIn(
  { code, minorDigits }: Currency,
  quantity: bigint,
  decimals: number,
  price: bigint | null,
  rate: RateOfDay | null,
): bigint | null {
  const applied = code === usd.code ? PAR : rate;
  if (price === null || applied === null) return null;
  const { perEur, usdPerEur } = applied;
  const numerator = quantity * price * perEur * powerOfTen(minorDigits);
  return halfUp(numerator, powerOfTen(decimals + PRICE_DECIMALS) * usdPerEur);
}
