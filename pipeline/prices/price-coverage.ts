/**
 * Price coverage: how much of the coins of taxable rows has a published price. Coins without the price of their day are worth
 * something nobody knows. What can be said is how many there are, and for a denom that has a price on another day, what they would be
 * worth at the nearest one; that estimate goes into no other figure.
 */
import type { PriceCoverage, PricedShare } from '../../schemas/types.generated.js';
import { formatCents, formatDecimal, halfUp, valueInCents } from '../ledger/amount.js';

/** Legs of one month, UTC day and denom that have the price of their day, or of those that have not. */
export interface LegGroup {
  /** YYYY-MM. */
  readonly month: string;
  /** Null: neither in the registry nor ever priced. */
  readonly denom: string | null;
  readonly priced: boolean;
  readonly legs: number;
  /** Base units. */
  readonly amount: bigint;
  /** Micro-USD for one displayed unit, on the day or else on the nearest one; null where the denom was never priced. */
  readonly price: bigint | null;
}

/** Decimal places of a share. */
const SHARE_DECIMALS = 4;

class Sum {
  private legs = 0;
  private pricedLegs = 0;
  private neverPriced = 0;
  private value = 0n;
  private estimate = 0n;

  add({ denom, priced, legs, amount, price }: LegGroup, decimalsOf: (denom: string) => number): void {
    this.legs += legs;
    if (denom === null || price === null) {
      this.neverPriced += legs;
      return;
    }
    const worth = valueInCents(amount, decimalsOf(denom), price);
    if (priced) {
      this.pricedLegs += legs;
      this.value += worth;
    } else this.estimate += worth;
  }

  get coverage(): PricedShare {
    const all = this.value + this.estimate;
    return {
      legs: this.legs,
      priced_legs: this.pricedLegs,
      never_priced_legs: this.neverPriced,
      value_usd: formatCents(this.value),
      estimated_usd: formatCents(this.estimate),
      share: all === 0n ? null : formatDecimal(halfUp(this.value * 10n ** BigInt(SHARE_DECIMALS), all), SHARE_DECIMALS),
    };
  }
}

/** @param groups in ascending order of months @param decimalsOf places of a denom */
export function priceCoverage(groups: Iterable<LegGroup>, decimalsOf: (denom: string) => number): PriceCoverage {
  const total = new Sum();
  const months = new Map<string, Sum>();
  const denoms = new Map<string | null, Sum>();
  for (const group of groups) {
    for (const sum of [total, sumOf(months, group.month), sumOf(denoms, group.denom)]) sum.add(group, decimalsOf);
  }
  const byName = ([a]: readonly [string | null, Sum], [b]: readonly [string | null, Sum]) =>
    a === null ? 1 : b === null || a < b ? -1 : 1;
  return {
    total: total.coverage,
    months: [...months].map(([month, { coverage }]) => ({ month, coverage })),
    denoms: [...denoms].sort(byName).map(([denom, { coverage }]) => ({ denom, coverage })),
  };
}

function sumOf<Key>(sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? new Sum();
  sums.set(key, sum);
  return sum;
}
