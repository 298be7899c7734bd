/**
 * Unexplained payments of a scope. A contract message may make thousands, so explained payments are skipped in near
 * constant time.
 */
import type { Payment } from './classifier.js';

export class OpenPayments {
  private readonly places = new Map<Payment, number>();
  /**
   * Disjoint-set forest by place + 1. An open payment points to itself, an explained one to a smaller entry; 0 is the
   * end.
   */
  private readonly open: number[] = [0];

  constructor(private readonly all: readonly Payment[]) {
    for (const [place, payment] of all.entries()) {
      this.places.set(payment, place);
      this.open.push(place + 1);
    }
  }

  /**
   * Removes a payment.
   * @returns false if it is not open
   */
  take(payment: Payment): boolean {
    const place = this.places.get(payment);
    if (place === undefined || this.open[place + 1] !== place + 1) return false;
    this.open[place + 1] = place;
    return true;
  }

  /** Yields open payments before an index, latest first. */
  *before(index: number): Generator<Payment> {
    for (let at = this.nearest(countBefore(this.all, index)); at > 0; at = this.nearest(at - 1))
      yield this.all[at - 1]!;
  }

  /** Returns the nearest open entry at or below `from`; shortens the path for later calls. */
  private nearest(from: number): number {
    const { open } = this;
    let at = from;
    while (open[at] !== at) {
      open[at] = open[open[at]!]!;
      at = open[at]!;
    }
    return at;
  }
}

/** Counts items before an index; items must be in ascending order. */
export function countBefore(items: readonly { readonly index: number }[], index: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
