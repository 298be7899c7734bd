/** The lot slices of a ledger entry as the column `slices` carries them, and the holding period that each one has. */

import type { LedgerEntry } from '../../schemas/types.generated.js';
import { halfUp } from './amount.js';
import { basisOf, type Taken } from './lots.js';
import { isOpening } from './opening/opening-coins.js';

/** One part of a lot that an entry relieved, moved or brought back: a row of Form 8949 where the entry is a disposal. */
export interface EntrySlice {
  /** YYYY-MM-DD; BEFORE_INDEX for opening coins, null where no lot was left. */
  readonly acquired: string | null;
  /** Base units. */
  readonly quantity: bigint;
  /** Cents, or null where unknown. */
  readonly basis: bigint | null;
  /** Cents, or null where none are computed (no disposal, or no price). */
  readonly proceeds: bigint | null;
}

/** Measures of taken lots as a whole; the sums are those of the slices. */
export interface Measured {
  readonly slices: readonly EntrySlice[];
  /** Cents of the slices with known basis. */
  readonly basis: bigint;
  /** Cents of the proceeds of the slices with known basis; 0 without proceeds. */
  readonly knownProceeds: bigint;
  /** Cents of the proceeds of all others; 0 without proceeds. */
  readonly unknownProceeds: bigint;
  /** Base units of lots with unknown basis. */
  readonly unknown: bigint;
  /** Base units held before the index. */
  readonly opening: bigint;
  /** Base units for which no lot was left. */
  readonly short: bigint;
}

/** Base units of what was taken whose basis nobody knows. */
export const basisUnknown = ({ unknown, opening, short }: Measured): bigint => unknown + opening + short;

/**
 * Slices with their basis and their share of the proceeds, both by cumulative rounding.
 * @param quantity base units taken, those without a lot among them
 * @param proceeds cents for all of it, or null
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
  for (const slice of slices) {
    const units = slice.to - slice.from;
    const cost = basisOf(slice);
    const part = proceedsOf(units);
    const { acquired } = slice.lot;
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
    basis,
    knownProceeds,
    unknownProceeds,
    unknown,
    opening,
    short,
  };
}

type Cells = [acquired: string | null, quantity: string, basis: string | null, proceeds: string | null];

const cell = (text: string | bigint | null) => (text === null ? 'null' : `"${text}"`);

/** Slices → the column `slices` of a ledger entry. */
export function writeSlices(slices: readonly EntrySlice[]): string {
  const rows = slices.map(
    ({ acquired, quantity, basis, proceeds }) => `[${cell(acquired)},"${quantity}",${cell(basis)},${cell(proceeds)}]`,
  );
  return `[${rows.join(',')}]`;
}

/** The column `slices` of a ledger entry → its slices, in order; none for null. */
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

/** Base units of the credited quantity whose basis is unknown: another number than of the debited one where shares became coins. */
export const creditedUnknown = ({ slices, credit_denom, basis_unknown_quantity }: CreditedSide): bigint | null =>
  credit_denom === null
    ? basis_unknown_quantity
    : readSlices(slices).reduce((sum, { quantity, basis }) => (basis === null ? sum + quantity : sum), 0n);

type CreditedSide = Pick<LedgerEntry, 'slices' | 'credit_denom' | 'basis_unknown_quantity'>;

/** Word in place of a day where the parts of a disposal were acquired on several, as on Form 8949. */
const VARIOUS = 'VARIOUS';

/** The first and the last of the days on which slices that are part of a lot were acquired, in whatever order; '' without any. */
function daysOf(slices: readonly EntrySlice[]): readonly [first: string, last: string] {
  let [first, last] = ['', ''];
  for (const { acquired } of slices) {
    if (acquired === null || isOpening({ acquired })) continue;
    if (first === '' || acquired < first) first = acquired;
    if (acquired > last) last = acquired;
  }
  return [first, last];
}

/** The day on which the lots of an entry were acquired; VARIOUS for several days, null where none is part of a lot. */
export function acquiredOf({ slices }: Measured): string | null {
  const [first, last] = daysOf(slices);
  return first === last ? first || null : VARIOUS;
}

/**
 * The holding period of what a disposal took of known basis; MIXED where parts of it differ, null where there is none. The day of a lot of
 * unknown basis is that of its receipt, and begins no holding period.
 */
export function termOfTaken({ slices }: Measured, sold: string): 'SHORT' | 'LONG' | 'MIXED' | null {
  const [first, last] = daysOf(slices.filter(({ basis }) => basis !== null));
  if (first === '') return null;
  const term = termOf(first, sold);
  return first === last || term === termOf(last, sold) ? term : 'MIXED';
}

/**
 * Holding period of coins (IRC §1222, §1223; Rev. Rul. 66-7): it begins the day after they were acquired and is long from one
 * calendar year later on, which is the day after the anniversary. Both days are YYYY-MM-DD.
 */
export function termOf(acquired: string, sold: string): 'SHORT' | 'LONG' {
  const year = String(Number(acquired.slice(0, 4)) + 1).padStart(4, '0');
  // A period that began on 1 March is not over on 29 February.
  const last = acquired.endsWith('-02-28') ? '-02-29' : acquired.slice(4);
  return sold > year + last ? 'LONG' : 'SHORT';
}
