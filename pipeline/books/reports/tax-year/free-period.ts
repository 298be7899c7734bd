/** After how long a holding is free of tax, or long-term. */
import { termOf } from '../../ledger/slices.js';

export type FreePeriod = 'one year from the next day' | 'one year to the same date';

const RULES: Readonly<Record<FreePeriod, (acquired: string, sold: string) => boolean>> = {
  // Rev. Rul. 66-7: on or after the first anniversary of the day after the purchase.
  'one year from the next day': (acquired, sold) => termOf(acquired, sold) === 'LONG',
  // Section 188 (2) BGB: after the anniversary of the purchase; that of 29 February is 28 February.
  'one year to the same date': (acquired, sold) => sold > anniversary(acquired),
};

export const isOver = (free: FreePeriod, acquired: string, sold: string): boolean => RULES[free](acquired, sold);

function anniversary(day: string): string {
  const year = String(Number(day.slice(0, 4)) + 1).padStart(4, '0');
  return year + (day.endsWith('-02-29') ? '-02-28' : day.slice(4));
}
