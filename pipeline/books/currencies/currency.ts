/** A currency in which books can be kept. */
export interface Currency {
  /** ISO 4217. */
  readonly code: string;
  /** The currency's name in the plural, such as 'US dollars'. */
  readonly words: string;
  readonly symbol: string;
  /** Decimal places of the minor unit (ISO 4217), in which amounts are rounded and added. */
  readonly minorDigits: number;
}
