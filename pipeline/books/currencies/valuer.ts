/** Values coins in the currency of the books. */
import { halfUp, PRICE_DECIMALS, powerOfTen } from '../../base/values/amount.js';
import type { Currency } from './currency.js';
import { ExchangeRates, type RateOfDay, valueIn } from './exchange-rates.js';
import { usd } from './usd.js';

/** Decimal places of parts of a minor unit, because a value in another currency than USD may have no end. */
const PART_DECIMALS = 24;

export class Valuer {
  private readonly rateByDay = new Map<string, RateOfDay | null>();

  constructor(
    readonly currency: Currency,
    private readonly rates = new ExchangeRates(),
  ) {}

  /**
   * Returns the value of a quantity in minor units, rounded half up; null without a price or rate.
   * @param price micro-USD per displayed unit
   * @param day UTC day of the row
   */
  valueOf(quantity: bigint, decimals: number, price: bigint | null, day: string): bigint | null {
    return valueIn(this.currency, quantity, decimals, price, this.rateOn(day));
  }

  /** Converts the price of a displayed unit. @param price micro-USD @returns millionths of the currency; null without a rate */
  priceOf(price: bigint, day: string): bigint | null {
    if (this.currency === usd) return price;
    const rate = this.rateOn(day);
    return rate && halfUp(price * rate.perEur, rate.usdPerEur);
  }

  /** Returns the unrounded value in units of which `minorUnit` are a minor unit; null without a rate. */
  partOf(quantity: bigint, price: bigint, day: string): bigint | null {
    if (this.currency === usd) return quantity * price;
    const rate = this.rateOn(day);
    return rate && halfUp(quantity * price * rate.perEur * powerOfTen(PART_DECIMALS), rate.usdPerEur);
  }

  minorUnit(decimals: number): bigint {
    const places = decimals + PRICE_DECIMALS - this.currency.minorDigits;
    return powerOfTen(this.currency === usd ? places : places + PART_DECIMALS);
  }

  private rateOn(day: string): RateOfDay | null {
    if (this.currency === usd) return null;
    const known = this.rateByDay.get(day);
    if (known !== undefined) return known;
    const rate = this.rates.rateOn(day, this.currency.code);
    this.rateByDay.set(day, rate);
    return rate;
  }
}

/** Values coins in the currency of published prices, which needs no rates. */
export const IN_PRICES = new Valuer(usd);
