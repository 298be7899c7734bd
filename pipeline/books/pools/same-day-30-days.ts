import { halfUp } from '../../base/values/amount.js';
import { addDays } from '../../base/values/day.js';
import {
  type Act,
  AveragePool,
  AwayCosts,
  noteState,
  type Part,
  type Piece,
  type PoolMethod,
  type PoolState,
  partsOf,
  poolPieces,
  withoutRoundTrips,
} from './pool.js';

const DAYS = 30;

/** The acquisitions or disposals of a day, which count as one. */
interface Day {
  readonly act: Act;
  readonly units: bigint;
  readonly money: bigint | null;
  /** Units without a match. */
  left: bigint;
}

/**
 * First the acquisitions of the same day, then those of the 30 days after, then the pool (TCGA 1992, sections 105,
 * 106A, 104; CRYPTO22250 ff.).
 */
export const sameDay30DaysPool: PoolMethod = {
  name: 'same_day_30_days_pool',
  term: 'acquisitions of the same day, then of the 30 days after, then the pool',
  match(all, terms) {
    const acts = withoutRoundTrips(all, (day) => day);
    const [bought, sold] = [daysOf(acts, 'acquire'), daysOf(acts, 'dispose')];
    const matches = new Map([...sold.keys()].map((day): [string, Piece[]] => [day, []]));
    for (const day of sold.keys()) match(matches.get(day)!, sold.get(day)!, bought.get(day), day, 'same_day');
    for (const [day, sale] of sold) {
      for (let later = 1; later <= DAYS && sale.left > 0n; later++) {
        const next = addDays(day, later);
        match(matches.get(day)!, sale, bought.get(next), next, '30_days');
      }
    }
    const pool = new AveragePool(terms);
    const [away, kept] = [acts.filter(({ isAway }) => isAway), acts.filter(({ isAway }) => !isAway)];
    const [entered, returned] = [daysOf(acts, 'enter'), daysOf(acts, 'return')];
    const [relieved, sent, shrunk] = [daysOf(kept, 'relieve'), daysOf(away, 'relieve'), daysOf(acts, 'shrink')];
    const elsewhere = new AwayCosts();
    const parts: Part[] = [];
    const states: PoolState[] = [];
    for (const day of new Set(acts.map((act) => act.day).sort())) {
      const [entry, back, purchase, sale] = [entered, returned, bought, sold].map((days) => days.get(day));
      if (entry) pool.put(entry.units, entry.money);
      if (back) pool.put(back.units, elsewhere.take(back.units));
      if (purchase && purchase.left > 0n) pool.put(purchase.left, costOf(purchase, purchase.left));
      if (sale) {
        const { left } = sale;
        const pieces = [...matches.get(day)!, ...(left > 0n ? poolPieces(left, pool.take(left)) : [])];
        parts.push(...partsOf(sale.act, pieces, sale.units, sale.money));
      }
      pool.take(relieved.get(day)?.units ?? 0n);
      const gone = sent.get(day)?.units ?? 0n;
      if (gone > 0n) elsewhere.send(gone, pool.take(gone));
      pool.shrink(shrunk.get(day)?.units ?? 0n);
      noteState(states, day, pool);
    }
    return { parts, states };
  },
};

/** Sums the acts of each day, in order of days. A sum with an unknown amount is unknown. */
function daysOf(acts: readonly Act[], kind: Act['kind']): Map<string, Day> {
  const days = new Map<string, Day>();
  for (const act of acts) {
    if (act.kind !== kind) continue;
    const known = days.get(act.day);
    const units = act.units + (known?.units ?? 0n);
    const money = act.money === null || known?.money === null ? null : act.money + (known?.money ?? 0n);
    days.set(act.day, { act: known?.act ?? act, units, money, left: units });
  }
  return new Map([...days].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the cost of the next units of a day's acquisitions, as the difference of running totals. */
function costOf({ units, money, left }: Day, next: bigint): bigint | null {
  if (money === null) return null;
  const gone = units - left;
  return halfUp(money * (gone + next), units) - halfUp(money * gone, units);
}

function match(pieces: Piece[], sale: Day, purchase: Day | undefined, acquired: string, rule: Piece['rule']): void {
  if (!purchase || purchase.left === 0n || sale.left === 0n) return;
  const units = sale.left < purchase.left ? sale.left : purchase.left;
  pieces.push({ units, rule, acquired, cost: costOf(purchase, units) });
  sale.left -= units;
  purchase.left -= units;
}
