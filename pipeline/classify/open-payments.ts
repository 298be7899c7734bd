/**
 * The payments of a scope that nobody has explained yet. One message of a contract may make thousands: those that are explained are
 * passed over, so that what an event announces is found right before it and not at the end of a walk through all others.
 */
import type { Payment } from './classifier.js';

export class OpenPayments {
  private readonly places = new Map<Payment, number>();
  /** A disjoint-set forest by place + 1: itself while the payment is open, else some smaller place + 1; 0 is no payment. */
  private readonly open: number[] = [0];

  /** @param all in the order of their indices */
  constructor(private readonly all: readonly Payment[]) {
    for (const [place, payment] of all.entries()) {
      this.places.set(payment, place);
      this.open.push(place + 1);
    }
  }

  /** Takes a payment out. @returns false when it is not there (any more) */
  take(payment: Payment): boolean {
    const place = this.places.get(payment);
    if (place === undefined || this.open[place + 1] !== place + 1) return false;
    this.open[place + 1] = place;
    return true;
  }

  /** Open payments of events before an index, the nearest first. */
  *before(index: number): Generator<Payment> {
    for (let at = this.nearest(countBefore(this.all, index)); at > 0; at = this.nearest(at - 1))
      yield this.all[at - 1]!;
  }

  /** The nearest open place + 1 at or below one; shortens the way for those who ask next. */
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

/** Number of items, in the ascending order of their indices, that come before an index. */
export function countBefore(items: readonly { readonly index: number }[], index: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
