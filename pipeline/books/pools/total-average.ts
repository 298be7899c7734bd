import {
  type Act,
  averageCost,
  joins,
  type Matched,
  type Part,
  type PoolMethod,
  type PoolState,
  type PoolTerms,
  partsOf,
} from './pool.js';

/**
 * One average for each tax year: of the coins held at its beginning and all acquisitions in it (所得税法施行令 119-2;
 * 소득세법시행령 88). What is left is carried over.
 */
export const totalAverage: PoolMethod = {
  name: 'total_average',
  term: 'average cost of the tax year',
  match(acts, terms) {
    const all: { parts: Part[]; states: PoolState[] } = { parts: [], states: [] };
    let held: PoolState = { day: '', units: 0n, cost: 0n };
    for (const year of byYear(acts, terms.yearStart)) {
      const { parts, states } = matchYear(year, held, terms);
      all.parts.push(...parts);
      all.states.push(...states);
      held = states.at(-1)!;
    }
    return all;
  },
};

/** Returns the tax year that contains a day, by the calendar year in which it begins. */
export const yearOf = (day: string, yearStart: string): number =>
  Number(day.slice(0, 4)) - (day.slice(5) < yearStart ? 1 : 0);

function byYear(acts: readonly Act[], yearStart: string): Act[][] {
  const years = new Map<number, Act[]>();
  for (const act of acts) {
    const year = yearOf(act.day, yearStart);
    years.set(year, [...(years.get(year) ?? []), act]);
  }
  return [...years].sort(([a], [b]) => a - b).map(([, year]) => year);
}

function matchYear(acts: readonly Act[], held: PoolState, terms: PoolTerms): Matched {
  const bought = acts.filter(joins);
  const units = bought.reduce((sum, act) => sum + act.units, held.units);
  const costs = [held.units === 0n ? 0n : held.cost, ...bought.map(({ money }) => money)];
  const cost = costs.includes(null) ? null : costs.reduce<bigint>((sum, money) => sum + money!, 0n);
  const costUpTo = (gone: bigint) => (cost === null ? 0n : averageCost(gone, units, cost, terms));
  const parts: Part[] = [];
  const states: PoolState[] = [];
  let [gone, seen] = [0n, held.units];
  for (const act of acts) {
    if (joins(act)) seen += act.units;
    else {
      const taken = act.units < units - gone ? act.units : units - gone;
      const ofPart = cost === null ? null : costUpTo(gone + taken) - costUpTo(gone);
      gone += taken;
      const pieces = [
        { units: taken, rule: 'pool', acquired: null, cost: ofPart } as const,
        { units: act.units - taken, rule: 'no_lot', acquired: null, cost: null } as const,
      ];
      if (act.kind === 'dispose') parts.push(...partsOf(act, pieces, act.units, act.money));
    }
    if (states.at(-1)?.day === act.day) states.pop();
    const left = seen > gone ? seen - gone : 0n;
    states.push({
      day: act.day,
      units: left,
      cost: left === 0n ? 0n : cost === null ? null : costUpTo(gone + left) - costUpTo(gone),
    });
  }
  return { parts, states };
}
