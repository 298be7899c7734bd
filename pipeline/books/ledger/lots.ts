/**
 * Lots of one asset in one holding or escrow. A lot is a range of base units, and a slice is a part of this range. A
 * slice's basis is the difference of two rounded running totals (policy A). So the bases of all slices add up exactly
 * to the lot's basis. Example: three slices of a lot of 3 units and 100 cents have 33, 34 and 33 cents.
 */
import { halfUp } from '../../base/values/amount.js';
import { firstIndex } from '../../base/values/first-index.js';
import type { LotMethod } from '../methods/method.js';

/** Coins with their acquired day and cost, in whatever wallet they are. */
export interface Parcel {
  /**
   * UTC day, or the day that the owner states. Orders lots. May be earlier than the day on which the coins came to this
   * wallet. BEFORE_INDEX for opening coins.
   */
  readonly acquired: string;
  /** The acquired day in the zone of the books, which answers name and from which terms count. */
  readonly day: string;
  /** Base units, above zero. */
  readonly quantity: bigint;
  /** Cents, or null if unknown. */
  readonly basis: bigint | null;
  /** Only for several lots of one day that moved together. */
  readonly parts?: Parts;
}

/**
 * The lots of a parcel in the order in which they leave, each with known basis. Each part is rounded by itself, as a
 * separate lot.
 */
interface Parts {
  readonly parcels: readonly Parcel[];
  /** Sum of quantities up to the end of each part, in base units. */
  readonly ends: readonly bigint[];
  /** Sum of bases up to the end of each part, in cents. */
  readonly costs: readonly bigint[];
}

export interface Lot extends Omit<Parcel, 'parts'> {
  /** Position of the receipt among the wallet's receipts. A converted lot keeps this number. */
  readonly arrival: number;
  /**
   * Only for converted lots: the start offset of the slice from which the lot was made, preceded by the origins of that
   * slice's own lot.
   */
  readonly origin?: readonly bigint[];
  /** Only for a lot that another wallet sent. If the whole lot moves again, it is the same parcel. */
  readonly parcel?: Parcel;
}

/** The part [from, to) of a lot, in base units; `to` is excluded. */
export interface Slice {
  readonly lot: Lot;
  readonly from: bigint;
  readonly to: bigint;
}

/** The taken slices. `short` is the number of base units for which there was no lot. */
export interface Taken {
  readonly slices: readonly Slice[];
  readonly short: bigint;
}

export const whole = (lot: Lot): Slice => ({ lot, from: 0n, to: lot.quantity });

function basisUpTo(lot: Lot, units: bigint): bigint {
  if (units === 0n) return 0n;
  if (units === lot.quantity) return lot.basis!;
  const parts = lot.parcel?.parts;
  return parts ? basisOfParts(parts, units) : halfUp(lot.basis! * units, lot.quantity);
}

function basisOfParts({ parcels, ends, costs }: Parts, units: bigint): bigint {
  const i = partAt(ends, units - 1n);
  const { quantity, basis } = parcels[i]!;
  return costs[i]! - basis! + halfUp(basis! * (units - ends[i]! + quantity), quantity);
}

/** Returns the index of the part that contains a base unit. */
const partAt = (ends: readonly bigint[], unit: bigint): number =>
  firstIndex(ends, (end) => end > unit, 0, ends.length - 1);

/** Cuts slices at the ends of their parts, so that each piece belongs to one original lot. */
export function piecesOf(slices: readonly Slice[]): readonly Slice[] {
  return slices.some(({ lot }) => lot.parcel?.parts) ? slices.flatMap(cutAtParts) : slices;
}

function cutAtParts(slice: Slice): readonly Slice[] {
  const { lot, to } = slice;
  const ends = lot.parcel?.parts?.ends;
  if (!ends) return [slice];
  const pieces: Slice[] = [];
  for (let { from } = slice, i = partAt(ends, from); from < to; from = ends[i++]!) {
    pieces.push({ lot, from, to: to < ends[i]! ? to : ends[i]! });
  }
  return pieces;
}

/** Returns the original lots of a slice, as keys that are unique in the wallet. */
export const lotKeysOf = (slice: Slice): readonly (number | string)[] => {
  const { lot, from, to } = slice;
  const ends = lot.parcel?.parts?.ends;
  if (!ends) return [lot.arrival];
  const first = partAt(ends, from);
  return Array.from({ length: partAt(ends, to - 1n) - first + 1 }, (_, i) => `${lot.arrival}/${first + i}`);
};

export function basisOf({ lot, from, to }: Slice): bigint | null {
  if (lot.basis === null || lot.basis === 0n) return lot.basis;
  return basisUpTo(lot, to) - basisUpTo(lot, from);
}

/** Returns what remains without the first base units. */
export function withoutFirst({ slices, short }: Taken, units: bigint): Taken {
  const rest: Slice[] = [];
  let left = units;
  for (const { lot, from, to } of slices) {
    const skipped = left < to - from ? left : to - from;
    left -= skipped;
    if (from + skipped < to) rest.push({ lot, from: from + skipped, to });
  }
  return { slices: rest, short: short - left };
}

export const unitsOfKnownBasis = (slices: readonly Slice[]): bigint =>
  slices.reduce((sum, { lot, from, to }) => (lot.basis === null ? sum : sum + to - from), 0n);

interface Part {
  readonly lot: Lot;
  from: bigint;
  to: bigint;
}

/** Marks coins that entered an escrow without a lot, so that they also leave it without a lot. */
const NO_LOT = 'none';

const CONSUMED_PARTS_MAX = 1024;

const SINGLE_PUTS_MAX = 16;

const offsetsOf = ({ lot, from }: Slice) => [...(lot.origin ?? []), from];

/** Orders slices by the method, then by arrival, then by offset in the original lot. */
function compareSlices(a: Slice, b: Slice, method: LotMethod): number {
  const byMethod = a.lot === b.lot ? 0 : method.compare(a.lot, b.lot);
  if (byMethod !== 0) return byMethod;
  const byArrival = a.lot.arrival - b.lot.arrival;
  if (byArrival !== 0) return method.ties === 'first in' ? byArrival : -byArrival;
  const [left, right] = [offsetsOf(a), offsetsOf(b)];
  const i = left.findIndex((units, n) => units !== right[n]);
  return left[i]! < right[i]! ? -1 : 1;
}

/** The unsold slices of a holding or an escrow. Holdings are in the method's order, escrows in order of deposit. */
export class LotQueue {
  private parts: Part[] = [];
  private head = 0;

  constructor(private readonly method: LotMethod) {}

  put(slice: Slice): void {
    const at = this.insertIndex(slice);
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

  /** Inserts many slices with a single sort, because one insert each would take quadratic time. */
  putAll(slices: readonly Slice[]): void {
    if (slices.length <= SINGLE_PUTS_MAX) {
      for (const slice of slices) this.put(slice);
      return;
    }
    const copies = slices.map(({ lot, from, to }) => ({ lot, from, to }));
    const sorted = this.parts
      .slice(this.head)
      .concat(copies)
      .sort((a, b) => compareSlices(a, b, this.method));
    this.parts = [];
    this.head = 0;
    for (const part of sorted) {
      const last = this.parts.at(-1);
      if (last?.lot === part.lot && last.to === part.from) last.to = part.to;
      else this.parts.push(part);
    }
  }

  /** Adds a slice at the end: escrows release coins in order of deposit. */
  append({ lot, from, to }: Slice): void {
    this.parts.push({ lot, from, to });
  }

  /** Adds what was taken elsewhere at the end. */
  deposit({ slices, short }: Taken): void {
    for (const slice of slices) this.append(slice);
    if (short > 0n) this.append(whole({ acquired: NO_LOT, day: NO_LOT, arrival: -1, quantity: short, basis: null }));
  }

  /**
   * Takes base units in the order of deposit. `short` counts units that were deposited without a lot. `excess` counts
   * units that were never deposited.
   */
  withdraw(units: bigint): Taken & { readonly excess: bigint } {
    const { slices, short: excess } = this.take(units);
    const bare = slices.filter(({ lot }) => lot.acquired === NO_LOT);
    const short = bare.reduce((sum, slice) => sum + sizeOf(slice), 0n);
    return { slices: bare.length === 0 ? slices : slices.filter(({ lot }) => lot.acquired !== NO_LOT), short, excess };
  }

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

  /**
   * Takes base units only from the given lots. Searches from the end of the queue, because these lots are usually the
   * newest.
   */
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

  copy(): LotQueue {
    const copy = new LotQueue(this.method);
    for (const slice of this) copy.append(slice);
    return copy;
  }

  *[Symbol.iterator](): Generator<Slice> {
    for (let i = this.head; i < this.parts.length; i++) yield this.parts[i]!;
  }

  private insertIndex(slice: Slice): number {
    const { parts } = this;
    const isBefore = (part: Part) => compareSlices(part, slice, this.method) < 0;
    if (parts.length === this.head || isBefore(parts[parts.length - 1]!)) return parts.length;
    return firstIndex(parts, (part) => !isBefore(part), this.head, parts.length - 1);
  }

  private insert(at: number, { lot, from, to }: Slice): void {
    const part = { lot, from, to };
    if (at === this.parts.length) this.parts.push(part);
    else if (at === this.head && this.head > 0) this.parts[--this.head] = part;
    else this.parts.splice(at, 0, part);
  }
}

function cut(part: Part, units: bigint): Slice {
  const { lot, from, to } = part;
  const end = to - from <= units ? to : from + units;
  part.from = end;
  return { lot, from, to: end };
}

/**
 * Converts slices to another denom of the same coins, such as x/liquid shares. Acquired day, order and basis stay the
 * same.
 * @param units base units of the new denom, distributed over the slices by cumulative rounding
 * @param of base units of the old denom
 */
export function converted(slices: readonly Slice[], units: bigint, of: bigint): readonly Slice[] {
  if (units === of) return slices;
  const lots: Lot[] = [];
  let seen = 0n;
  let given = 0n;
  for (const slice of piecesOf(slices)) {
    seen += slice.to - slice.from;
    const basis = basisOf(slice);
    const due = halfUp(seen * units, of) - given;
    // A slice with basis gets at least one new base unit. A slice without basis may get none and is dropped.
    const quantity = due <= 0n && basis !== null && basis > 0n ? 1n : due;
    if (quantity <= 0n) continue;
    given += quantity;
    const { acquired, day, arrival } = slice.lot;
    lots.push({ acquired, day, arrival, origin: offsetsOf(slice), quantity, basis });
  }
  return lots.map(whole);
}

/**
 * Returns what a transfer moves to another wallet. Neighbours of one acquired day become one parcel, if all bases are known
 * or all are unknown, so that a transfer of thousands of lots takes no longer than one of a few. Parts of unknown basis
 * need not be told apart. Neither the order nor any amount changes.
 */
export function parcelsOf(slices: readonly Slice[], method: LotMethod): readonly Parcel[] {
  const parcels: Parcel[] = [];
  let run: Slice[] = [];
  for (const slice of slices) {
    if (run.length > 0 && !isAlike(run[0]!.lot, slice.lot, method)) {
      parcels.push(parcelOf(run));
      run = [];
    }
    run.push(slice);
  }
  if (run.length > 0) parcels.push(parcelOf(run));
  return parcels;
}

const isAlike = (a: Lot, b: Lot, method: LotMethod) =>
  a.acquired === b.acquired &&
  a.day === b.day &&
  (a.basis === null) === (b.basis === null) &&
  method.compare(a, b) === 0;

const sizeOf = ({ from, to }: Slice): bigint => to - from;

function parcelOf(slices: readonly Slice[]): Parcel {
  const [first] = slices as [Slice];
  const { acquired, day, basis, quantity, parcel } = first.lot;
  if (slices.length === 1 && parcel && sizeOf(first) === quantity) return parcel;
  const all = slices.reduce((sum, slice) => sum + sizeOf(slice), 0n);
  if (basis === null) return { acquired, day, quantity: all, basis };
  const pieces = piecesOf(slices);
  if (pieces.length === 1) return { acquired, day, quantity: all, basis: basisOf(first) };
  const [ends, costs]: [bigint[], bigint[]] = [[], []];
  const parcels = pieces.map(partOf);
  let [units, cents] = [0n, 0n];
  for (const part of parcels) {
    units += part.quantity;
    cents += part.basis!;
    ends.push(units);
    costs.push(cents);
  }
  return { acquired, day, quantity: units, basis: cents, parts: { parcels, ends, costs } };
}

/** Returns a piece as a parcel. If it is a whole part, it is the same parcel. */
function partOf(piece: Slice): Parcel {
  const { lot, from } = piece;
  const { parts } = lot.parcel ?? {};
  const known = parts ? parts.parcels[partAt(parts.ends, from)] : lot.parcel;
  const quantity = sizeOf(piece);
  const { acquired, day } = lot;
  return known?.quantity === quantity ? known : { acquired, day, quantity, basis: basisOf(piece) };
}
