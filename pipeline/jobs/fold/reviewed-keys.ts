/** Keys of the reviewed changes that rows of the fold rest on: where they change, rows from their heights on are folded anew. */
import { createHash } from 'node:crypto';
import type { UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** Key of what decides rows up to a height. @param ran upgrades that ran up to there: those that are to come decide nothing yet */
export function keyUpTo(to: number, ran: readonly UpgradePlan[], { upgrades, corrections }: ReviewedChanges): string {
  const known = new Map(upgrades.map(({ name, changes }) => [name, changes]));
  return hashOf([
    ran.map(({ name, height }) => [height, name, known.get(name) ?? null]),
    corrections.filter(({ height }) => height <= to).map(({ height, what }) => [height, what]),
  ]);
}

/** Key of all that is reviewed. */
export const keyOfAll = (reviewed: ReviewedChanges): string => hashOf(reviewed);
