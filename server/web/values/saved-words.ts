import type { AssetDecision, StatedLot } from '../../../schemas/types.generated.js';
import { readableDay } from './dates.js';

const MANY: Readonly<Record<string, string>> = {
  '*': 'Every suspicious incoming transfer without a decision of its own',
  '*:suspected_spam': 'Every incoming transfer that looks like spam',
  '*:identity_mismatch': 'Every incoming transfer that imitates another coin',
};

/** Describes a bulk key; undefined for the id of a single receipt or row. */
export function manyWords(key: string): string | undefined {
  if (!key.startsWith('*')) return undefined;
  return MANY[key] ?? `Every suspicious incoming transfer from ${key.slice(2)}`;
}

export function decisionWords(decision: AssetDecision): string {
  const { mode, token, quantity, value_usd: value, cost_basis_usd: cost, acquired_date: day } = decision;
  if (mode === 'exclude') return 'left out';
  if (mode === 'keep') return 'kept as it is';
  const parts = [
    token && `it is ${token}`,
    quantity && `it is ${quantity} coins`,
    value && `it was worth $${value}`,
    cost && `it cost $${cost}`,
    day && `acquired on ${readableDay(day)}`,
  ];
  return `corrected: ${parts.filter(Boolean).join(', ')}`;
}

export const lotWords = ({ quantity, denom, acquired_date, cost_basis_usd }: StatedLot): string =>
  `${quantity} ${symbolOf(denom)}, acquired on ${readableDay(acquired_date)} for $${cost_basis_usd}`;

/** Derives a native coin's symbol from its denom (`uatom` → ATOM); other denoms stay unchanged. */
const symbolOf = (denom: string): string => /^u([a-z]{3,})$/.exec(denom)?.[1]?.toUpperCase() ?? denom;
