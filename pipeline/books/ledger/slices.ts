import { halfUp } from '../../base/values/amount.js';
import { type Entry, VARIOUS } from './entry.js';
import { basisOf, piecesOf, type Slice, type Taken } from './lots.js';
import { isOpening } from './opening-coins.js';

/** A part of a lot that an entry sold, moved or returned. Each slice of a disposal becomes one row of Form 8949. */
export interface EntrySlice {
  /** YYYY-MM-DD; BEFORE_INDEX for opening coins; null if there was no lot. */
  readonly acquired: string | null;
  /** Base units. */
  readonly quantity: bigint;
  /** Cents, or null if unknown. */
  readonly basis: bigint | null;
  /** Cents; null unless the entry is a disposal with a price. */
  readonly proceeds: bigint | null;
}

export interface Measured {
  readonly slices: readonly EntrySlice[];
  /** YYYY-MM-DD, or VARIOUS; null if no lot was taken. */
  readonly acquired: string | null;
  /** Cents, from slices with known basis. */
  readonly basis: bigint;
  /** Cents, from slices with known basis. */
  readonly knownProceeds: bigint;
  readonly unknownProceeds: bigint;
  /** Base units in lots of unknown basis. Excludes opening coins. */
  readonly unknown: bigint;
  readonly opening: bigint;
  readonly short: bigint;
}

export const basisUnknown = ({ unknown, opening, short }: Measured): bigint => unknown + opening + short;

/**
 * Sums the taken slices and splits the proceeds among them by cumulative rounding.
 * @param quantity base units, including those without a lot
 * @param proceeds cents; null unless the entry is a disposal with a price
 */
export function measure({ slices, short }: Taken, quantity: bigint, proceeds: bigint | null): Measured {
  const measured: EntrySlice[] = [];
  let basis = 0n;
  let knownProceeds = 0n;
  let [unknownProceeds, unknown, opening] = [0n, 0n, 0n];
  let done = 0n;
  let paid = 0n;
  const proceedsOf = (units: bigint) => {
    if (proceeds === null) return null;
    done += units;
    const upTo = done === quantity ? proceeds : halfUp(proceeds * done, quantity);
    const part = upTo - paid;
    paid = upTo;
    return part;
  };
  for (const slice of piecesOf(slices)) {
    const units = slice.to - slice.from;
    const cost = basisOf(slice);
    const part = proceedsOf(units);
    const { day: acquired } = slice.lot;
    if (isOpening(slice.lot)) opening += units;
    else if (cost === null) unknown += units;
    if (cost === null) unknownProceeds += part ?? 0n;
    else {
      basis += cost;
      knownProceeds += part ?? 0n;
    }
    measured.push({ acquired, quantity: units, basis: cost, proceeds: part });
  }
  if (short > 0n) {
    const part = proceedsOf(short);
    unknownProceeds += part ?? 0n;
    measured.push({ acquired: null, quantity: short, basis: null, proceeds: part });
  }
  return {
    slices: measured,
    acquired: acquiredOf(slices),
    basis,
    knownProceeds,
    unknownProceeds,
    unknown,
    opening,
    short,
  };
}

/**
 * Sums slices that move to another wallet, lot by lot of the queue. Only books read `slices`, which may be thousands, so
 * each read computes them.
 */
export function measureMoved(taken: Taken, quantity: bigint): Measured {
  const sums = { basis: 0n, unknown: 0n, opening: 0n };
  for (const slice of taken.slices) {
    const cost = basisOf(slice);
    if (cost !== null) sums.basis += cost;
    else sums[isOpening(slice.lot) ? 'opening' : 'unknown'] += slice.to - slice.from;
  }
  return {
    get slices() {
      return measure(taken, quantity, null).slices;
    },
    acquired: acquiredOf(taken.slices),
    ...sums,
    knownProceeds: 0n,
    unknownProceeds: 0n,
    short: taken.short,
  };
}

type Cells = [acquired: string | null, quantity: string, basis: string | null, proceeds: string | null];

const cell = (text: string | bigint | null) => (text === null ? 'null' : `"${text}"`);

export function writeSlices(slices: readonly EntrySlice[]): string {
  const rows = slices.map(
    ({ acquired, quantity, basis, proceeds }) => `[${cell(acquired)},"${quantity}",${cell(basis)},${cell(proceeds)}]`,
  );
  return `[${rows.join(',')}]`;
}

export function readSlices(text: string | null): EntrySlice[] {
  if (text === null) return [];
  const amount = (value: string | null) => (value === null ? null : BigInt(value));
  return (JSON.parse(text) as Cells[]).map(([acquired, quantity, basis, proceeds]) => ({
    acquired,
    quantity: BigInt(quantity),
    basis: amount(basis),
    proceeds: amount(proceeds),
  }));
}

export const creditedUnknown = (side: CreditedSide): bigint | null =>
  side.credit_denom === null
    ? side.basis_unknown_quantity
    : readSlices(side.slices).reduce((sum, { quantity, basis }) => (basis === null ? sum + quantity : sum), 0n);

type CreditedSide = Pick<Entry, 'slices' | 'credit_denom' | 'basis_unknown_quantity'>;

function daysOf(slices: Iterable<Pick<EntrySlice, 'acquired'>>): readonly [first: string, last: string] {
  let [first, last] = ['', ''];
  for (const { acquired } of slices) {
    if (acquired === null || isOpening({ acquired })) continue;
    if (first === '' || acquired < first) first = acquired;
    if (acquired > last) last = acquired;
  }
  return [first, last];
}

function acquiredOf(slices: readonly Slice[]): string | null {
  const [first, last] = daysOf(slices.map(({ lot }) => ({ acquired: lot.day })));
  return first === last ? first || null : VARIOUS;
}

/** Returns MIXED if the slices have both short and long terms; null if no slice has a known basis. */
export function termOfTaken({ slices }: Measured, sold: string): 'SHORT' | 'LONG' | 'MIXED' | null {
  const [first, last] = daysOf(slices.filter(({ basis }) => basis !== null));
  if (first === '') return null;
  const term = termOf(first, sold);
  return first === last || term === termOf(last, sold) ? term : 'MIXED';
}

/**
 * Returns the holding period (IRC §1222, §1223; Rev. Rul. 66-7). A sale after the first anniversary is long-term.
 * Example: coins acquired on 2024-03-05 are long-term from 2025-03-06.
 */
export function termOf(acquired: string, sold: string): 'SHORT' | 'LONG' {
  const year = String(Number(acquired.slice(0, 4)) + 1).padStart(4, '0');
  // For coins acquired on 28 February, a sale on 29 February of the next year is still short-term.
  const last = acquired.endsWith('-02-28') ? '-02-29' : acquired.slice(4);
  return sold > year + last ? 'LONG' : 'SHORT';
}
