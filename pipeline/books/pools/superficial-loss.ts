import { halfUp } from '../../base/values/amount.js';
import { addDays } from '../../base/values/day.js';
import { firstIndex } from '../../base/values/first-index.js';
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
  match(acts, terms) {
    const sums = sumsOf(acts);
    return matchAverages(acts, terms, (parts, act, pool) => {
      const denied = deniedLoss(parts, act, sums);
      if (denied > 0n) pool.raise(denied);
      return parts.map((part) => (part.gain !== null && part.gain < 0n ? reduced(part, denied) : part));
    });
  },
};

const reduced = (part: Part, denied: bigint): Part => ({ ...part, gain: part.gain! + denied });

/** Returns the denied part of a loss; 0 if the disposal has no known loss. A disposal has one part with a known cost. */
function deniedLoss(parts: readonly Part[], { day, units: sold }: Act, sums: readonly Sum[]): bigint {
  const loss = parts.reduce((sum, { gain }) => (gain !== null && gain < 0n ? sum - gain : sum), 0n);
  if (loss === 0n) return 0n;
  const { acquired: until, held } = sumUntil(addDays(day, DAYS), sums);
  const acquired = until - sumUntil(addDays(day, -DAYS - 1), sums).acquired;
  const [least] = [sold, acquired, held > 0n ? held : 0n].sort((a, b) => (a < b ? -1 : 1));
  return halfUp(loss * least!, sold);
}

/** Units that were acquired and that are held after an act. */
interface Sum {
  readonly day: string;
  readonly acquired: bigint;
  readonly held: bigint;
}

const NOTHING: Sum = { day: '', acquired: 0n, held: 0n };

/** Returns running sums, because a pass over all acts for each loss would take quadratic time. */
function sumsOf(acts: readonly Act[]): Sum[] {
  let [acquired, held] = [0n, 0n];
  return acts.map((act) => {
    if (act.kind === 'acquire') acquired += act.units;
    held += joins(act) ? act.units : -act.units;
    return { day: act.day, acquired, held };
  });
}

/** Returns the sums at the end of a day. */
function sumUntil(day: string, sums: readonly Sum[]): Sum {
  return sums[firstIndex(sums, (sum) => sum.day > day) - 1] ?? NOTHING;
}
