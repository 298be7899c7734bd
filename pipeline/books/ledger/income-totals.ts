/**
 * Values income so that many small receipts add up to what they are worth: the value of a receipt is the difference of
 * two rounded running totals (docs/how-lots-work.md, D14). There is one total for each income account and denom of a
 * wallet.
 */
import { halfUp, PRICE_DECIMALS, powerOfTen } from '../../base/values/amount.js';

export interface IncomeReceipt {
  readonly account: string;
  readonly denom: string;
  readonly decimals: number;
  /** Base units. */
  readonly quantity: bigint;
  /** micro-USD per displayed unit. */
  readonly price: bigint;
}

/** A running total without its whole cents, which do not change how later receipts are rounded. */
export type Remainder = readonly [account: string, denom: string, part: bigint];

export class IncomeTotals {
  private readonly parts = new Map<string, Remainder>();

  constructor(remainders: Iterable<Remainder> = []) {
    for (const remainder of remainders) this.parts.set(keyOf(remainder[0], remainder[1]), remainder);
  }

  /** Returns a receipt's value in cents without adding it. */
  valueOf({ account, denom, decimals, quantity, price }: IncomeReceipt): bigint {
    const cent = centOf(decimals);
    const before = this.partOf(account, denom);
    return halfUp(before + quantity * price, cent) - halfUp(before, cent);
  }

  /** Adds a receipt and returns its value in cents. Receipts must be added in chain order. */
  add(receipt: IncomeReceipt): bigint {
    const { account, denom, decimals, quantity, price } = receipt;
    const value = this.valueOf(receipt);
    const part = (this.partOf(account, denom) + quantity * price) % centOf(decimals);
    this.parts.set(keyOf(account, denom), [account, denom, part]);
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

/** Returns one cent in the unit of quantity times price. */
const centOf = (decimals: number) => powerOfTen(decimals + PRICE_DECIMALS - 2);
