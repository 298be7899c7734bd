/**
 * Values income so that many small receipts add up to what they are worth: the value of a receipt is the difference of
 * two rounded running totals (docs/how-lots-work.md, D14). There is one total for each income account and denom of a
 * wallet.
 */
import { halfUp } from '../../base/values/amount.js';
import type { Valuer } from '../currencies/valuer.js';

export interface IncomeReceipt {
  readonly account: string;
  readonly denom: string;
  readonly decimals: number;
  /** Base units. */
  readonly quantity: bigint;
  /** micro-USD per displayed unit. */
  readonly price: bigint;
  /** UTC day of the row. */
  readonly day: string;
}

/** A running total without its whole minor units, which do not change how later receipts are rounded. */
export type Remainder = readonly [account: string, denom: string, part: bigint];

export class IncomeTotals {
  private readonly parts = new Map<string, Remainder>();

  constructor(
    private readonly valuer: Valuer,
    remainders: Iterable<Remainder> = [],
  ) {
    for (const remainder of remainders) this.parts.set(keyOf(remainder[0], remainder[1]), remainder);
  }

  /** Returns a receipt's value in minor units without adding it; null if its day has no exchange rate. */
  valueOf({ account, denom, decimals, quantity, price, day }: IncomeReceipt): bigint | null {
    const part = this.valuer.partOf(quantity, price, day);
    if (part === null) return null;
    const unit = this.valuer.minorUnit(decimals);
    const before = this.partOf(account, denom);
    return halfUp(before + part, unit) - halfUp(before, unit);
  }

  /** Adds a receipt and returns its value in minor units. Receipts must be added in chain order. */
  add(receipt: IncomeReceipt): bigint | null {
    const { account, denom, decimals, quantity, price, day } = receipt;
    const value = this.valueOf(receipt);
    const part = this.partOf(account, denom) + (this.valuer.partOf(quantity, price, day) ?? 0n);
    this.parts.set(keyOf(account, denom), [account, denom, part % this.valuer.minorUnit(decimals)]);
    return value;
  }

  remainders(): Remainder[] {
    return [...this.parts.values()].filter(([, , part]) => part > 0n);
  }

  private partOf(account: string, denom: string): bigint {
    return this.parts.get(keyOf(account, denom))?.[2] ?? 0n;
  }
}

const keyOf = (account: string, denom: string) => `${account} ${denom}`;
