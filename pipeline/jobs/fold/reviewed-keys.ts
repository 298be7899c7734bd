/** Hashes of reviewed changes. If they change, rows from the affected heights are folded again. */
import { createHash } from 'node:crypto';
import type { UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** @param ran upgrades up to `to`; future upgrades have no effect yet */
export function keyUpTo(to: number, ran: readonly UpgradePlan[], { upgrades, corrections }: ReviewedChanges): string {
  const known = new Map(upgrades.map(({ name, changes }) => [name, changes]));
  return hashOf([
    ran.map(({ name, height }) => [height, name, known.get(name) ?? null]),
    corrections.filter(({ height }) => height <= to).map(({ height, what }) => [height, what]),
  ]);
}

export const keyOfAll = (reviewed: ReviewedChanges): string => hashOf(reviewed);
