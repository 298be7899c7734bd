import { halfUp } from '../../base/values/amount.js';
import { addDays } from '../../base/values/day.js';
import { matchAverages } from './moving-average.js';
import { type Act, joins, type Part, type PoolMethod } from './pool.js';

const DAYS = 30;

/**
 * Moving average, with superficial losses (Income Tax Act, section 54 and paragraph 53(1)(f)): of a loss, the part that
 * was acquired within 30 days before and after, and is held at the end of these, is denied and added to the cost.
 */
export const movingAverageSuperficial: PoolMethod = {
  name: 'moving_average_superficial',
  term: 'moving average cost of a pool; losses on coins that were bought back are denied',
  match: (acts, terms) =>
    matchAverages(acts, terms, (parts, act, pool) => {
      const denied = deniedLoss(parts, act, acts);
      if (denied > 0n) pool.raise(denied);
      return parts.map((part) => (part.gain !== null && part.gain < 0n ? reduced(part, denied) : part));
    }),
};

const reduced = (part: Part, denied: bigint): Part => ({ ...part, gain: part.gain! + denied });

/** Returns the denied part of a loss; 0 if the disposal has no known loss. A disposal has one part with a known cost. */
function deniedLoss(parts: readonly Part[], { day, units: sold }: Act, acts: readonly Act[]): bigint {
  const loss = parts.reduce((sum, { gain }) => (gain !== null && gain < 0n ? sum - gain : sum), 0n);
  if (loss === 0n) return 0n;
  const [from, to] = [addDays(day, -DAYS), addDays(day, DAYS)];
  let [acquired, held] = [0n, 0n];
  for (const act of acts) {
    if (act.kind === 'acquire' && act.day >= from && act.day <= to) acquired += act.units;
    if (act.day <= to) held += joins(act) ? act.units : -act.units;
  }
  const [least] = [sold, acquired, held > 0n ? held : 0n].sort((a, b) => (a < b ? -1 : 1));
  return halfUp(loss * least!, sold);
}
