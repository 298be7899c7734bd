/**
 * Lots of one asset in one place (a wallet's holding, an escrow). A lot is an axis of base units from 0 to its quantity; what
 * lies in a place are parts of that axis, and what is taken are slices of it. The basis of a slice follows from its ends
 * alone, so cumulative rounding (policy A) holds wherever the parts of a lot go, and every cent of the lot is in exactly one
 * of them.
 */
import { halfUp } from './amount.js';

/** A lot: coins that were acquired at once. It never changes; parts of it move. */
export interface Lot {
  /**
   * YYYY-MM-DD on which the taxpayer acquired it, which may lie before it arrived here; BEFORE_INDEX for opening coins
   * (opening/opening-coins.ts).
   */
  readonly acquired: string;
  /** Running number of the arrival in the wallet; lots that conversions made of it have the same. */
  readonly arrival: number;
  /** The beginning of each slice that a conversion made a lot of, from the lot that arrived down to this one; absent without one. */
  readonly origin?: readonly bigint[];
  /** Base units, above zero. */
  readonly quantity: bigint;
  /** Cents, or null where the basis is unknown. */
  readonly basis: bigint | null;
}

/** The base units [from, to) of a lot. */
export interface Slice {
  readonly lot: Lot;
  readonly from: bigint;
  readonly to: bigint;
}

/** Slices that were taken, and the base units for which no lot was left. */
export interface Taken {
  readonly slices: readonly Slice[];
  readonly short: bigint;
}

/** The whole lot as a slice. */
export const whole = (lot: Lot): Slice => ({ lot, from: 0n, to: lot.quantity });

/** Cents of the lot's basis that its first `units` carry: half-up(basis × units / quantity). */
function bookedTo(lot: Lot, units: bigint): bigint {
  if (units === 0n) return 0n;
  return units === lot.quantity ? lot.basis! : halfUp(lot.basis! * units, lot.quantity);
}

/** Basis of a slice in cents, or null where unknown. */
export function basisOf({ lot, from, to }: Slice): bigint | null {
  if (lot.basis === null || lot.basis === 0n) return lot.basis;
  return bookedTo(lot, to) - bookedTo(lot, from);
}

/** Base units of slices whose basis is known. */
export const ofKnownBasis = (slices: readonly Slice[]): bigint =>
  slices.reduce((sum, { lot, from, to }) => (lot.basis === null ? sum : sum + to - from), 0n);

interface Part {
  readonly lot: Lot;
  from: bigint;
  to: bigint;
}

/** Consumed parts are dropped from memory once they are more than so many, and half of the list. */
const CONSUMED_PARTS_MAX = 1024;

/** Up to so many slices are put in one by one. */
const SINGLE_PUTS_MAX = 16;

/** The place of a slice in the lot that arrived. */
const placeIn = ({ lot, from }: Slice) => [...(lot.origin ?? []), from];

/**
 * First in, first out by the day the taxpayer acquired a lot (Reg. §1.1012-1(j)), then by its arrival; what arrived at once by its place
 * there, also where a conversion has made lots of parts of it.
 */
function inOrder(a: Slice, b: Slice): number {
  if (a.lot.acquired !== b.lot.acquired) return a.lot.acquired < b.lot.acquired ? -1 : 1;
  if (a.lot.arrival !== b.lot.arrival) return a.lot.arrival - b.lot.arrival;
  const [left, right] = [placeIn(a), placeIn(b)];
  const i = left.findIndex((units, n) => units !== right[n]);
  return left[i]! < right[i]! ? -1 : 1;
}

/** The open parts of lots in one place, in the order in which they are consumed. */
export class LotQueue {
  private parts: Part[] = [];
  /** Everything before it is consumed. */
  private head = 0;

  /** Puts a slice in its place by acquired day and arrival; it joins its own lot's neighbouring part. */
  put(slice: Slice): void {
    const at = this.placeOf(slice);
    const before = at > this.head ? this.parts[at - 1]! : undefined;
    const after = this.parts[at];
    if (before?.lot === slice.lot && before.to === slice.from) {
      before.to = slice.to;
      if (after?.lot === slice.lot && after.from === slice.to) {
        before.to = after.to;
        this.parts.splice(at, 1);
      }
    } else if (after?.lot === slice.lot && after.from === slice.to) after.from = slice.from;
    else this.insert(at, slice);
  }

  /** Puts slices in their places. Many at once are merged: one by one, each would shift all that come after it. */
  putAll(slices: readonly Slice[]): void {
    if (slices.length <= SINGLE_PUTS_MAX) {
      for (const slice of slices) this.put(slice);
      return;
    }
    const copies = slices.map(({ lot, from, to }) => ({ lot, from, to }));
    const sorted = this.parts.slice(this.head).concat(copies).sort(inOrder);
    this.parts = [];
    this.head = 0;
    for (const part of sorted) {
      const last = this.parts.at(-1);
      if (last?.lot === part.lot && last.to === part.from) last.to = part.to;
      else this.parts.push(part);
    }
  }

  /** Puts a slice behind all others: for a place whose lots leave in the order in which they came. */
  append({ lot, from, to }: Slice): void {
    this.parts.push({ lot, from, to });
  }

  /** Takes from the front. */
  take(quantity: bigint): Taken {
    const slices: Slice[] = [];
    let left = quantity;
    while (left > 0n && this.head < this.parts.length) {
      const part = this.parts[this.head]!;
      const slice = cut(part, left);
      slices.push(slice);
      left -= slice.to - slice.from;
      if (part.from === part.to) this.head++;
    }
    if (this.head > CONSUMED_PARTS_MAX && this.head * 2 > this.parts.length) {
      this.parts.splice(0, this.head);
      this.head = 0;
    }
    return { slices, short: left };
  }

  /** Takes from the given lots only, in the order of the queue. They are looked for from the end: they have just arrived. */
  takeFrom(lots: readonly Lot[], quantity: bigint): Taken {
    const slices: Slice[] = [];
    let left = quantity;
    for (const lot of lots) {
      for (let i = this.parts.length - 1; i >= this.head && left > 0n; i--) {
        const part = this.parts[i]!;
        if (part.lot !== lot) continue;
        const slice = cut(part, left);
        slices.push(slice);
        left -= slice.to - slice.from;
        if (part.from === part.to) this.parts.splice(i, 1);
        break;
      }
    }
    return { slices, short: left };
  }

  /** The open parts, first to be consumed first. */
  *[Symbol.iterator](): Generator<Slice> {
    for (let i = this.head; i < this.parts.length; i++) yield this.parts[i]!;
  }

  /** Index of the first open part that comes after the slice. Most arrive in order: then it is the end. */
  private placeOf(slice: Slice): number {
    const { parts } = this;
    const isBefore = (part: Part) => inOrder(part, slice) < 0;
    if (parts.length === this.head || isBefore(parts[parts.length - 1]!)) return parts.length;
    let low = this.head;
    let high = parts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(parts[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private insert(at: number, { lot, from, to }: Slice): void {
    const part = { lot, from, to };
    if (at === this.parts.length) this.parts.push(part);
    else if (at === this.head && this.head > 0) this.parts[--this.head] = part;
    else this.parts.splice(at, 0, part);
  }
}

/** Cuts at most `units` off the front of a part. */
function cut(part: Part, units: bigint): Slice {
  const { lot, from, to } = part;
  const end = to - from <= units ? to : from + units;
  part.from = end;
  return { lot, from, to: end };
}

/**
 * Slices as they stand in another denom of the same coins (x/liquid shares): each becomes a lot of its own with the same
 * acquired day, place in the order and basis; quantities by cumulative rounding. One to one they stay what they are.
 * @param units base units of the other denom that `of` base units became
 */
export function converted(slices: readonly Slice[], units: bigint, of: bigint): readonly Slice[] {
  if (units === of) return slices;
  const lots: Lot[] = [];
  let seen = 0n;
  let given = 0n;
  for (const slice of slices) {
    seen += slice.to - slice.from;
    const basis = basisOf(slice);
    const due = halfUp(seen * units, of) - given;
    // A slice too small for one unit of the other denom vanishes, but never with a cent of basis.
    const quantity = due <= 0n && basis !== null && basis > 0n ? 1n : due;
    if (quantity <= 0n) continue;
    given += quantity;
    const { acquired, arrival } = slice.lot;
    lots.push({ acquired, arrival, origin: placeIn(slice), quantity, basis });
  }
  return lots.map(whole);
}
