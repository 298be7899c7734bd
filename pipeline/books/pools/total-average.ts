import {
  type Act,
  AwayCosts,
  averageCost,
  joins,
  type Matched,
  type Part,
  type PoolMethod,
  type PoolState,
  type PoolTerms,
  partsOf,
  withoutRoundTrips,
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
    const away = new AwayCosts();
    let held: PoolState = { day: '', units: 0n, cost: 0n };
    for (const year of byYear(acts, terms.yearStart)) {
      const { parts, states } = matchYear(year, held, away, terms);
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
  const yearOfDay = (day: string) => yearOf(day, yearStart);
  const years = new Map<number, Act[]>();
  for (const act of withoutRoundTrips(acts, yearOfDay)) {
    const year = yearOfDay(act.day);
    const known = years.get(year);
    if (known) known.push(act);
    else years.set(year, [act]);
  }
  return [...years].sort(([a], [b]) => a - b).map(([, year]) => year);
}

function matchYear(acts: readonly Act[], held: PoolState, away: AwayCosts, terms: PoolTerms): Matched {
  const bought = acts.filter(joins);
  const shrunk = acts.reduce((sum, act) => (act.kind === 'shrink' ? sum + act.units : sum), 0n);
  const all = bought.reduce((sum, act) => sum + act.units, held.units);
  const units = all > shrunk ? all - shrunk : 0n;
  const paid = bought.map(({ kind, money, units: home }) => (kind === 'return' ? away.take(home) : money));
  const costs = [held.units === 0n ? 0n : held.cost, ...paid];
  const cost = costs.includes(null) ? null : costs.reduce<bigint>((sum, money) => sum + money!, 0n);
  const costUpTo = (gone: bigint) => (cost === null ? 0n : averageCost(gone, units, cost, terms));
  const parts: Part[] = [];
  const states: PoolState[] = [];
  let [gone, seen] = [0n, held.units];
  for (const act of acts) {
    if (joins(act)) seen += act.units;
    else if (act.kind === 'shrink') seen -= act.units;
    else {
      const taken = act.units < units - gone ? act.units : units - gone;
      const ofPart = cost === null ? null : costUpTo(gone + taken) - costUpTo(gone);
      gone += taken;
      const pieces = [
        { units: taken, rule: 'pool', acquired: null, cost: ofPart } as const,
        { units: act.units - taken, rule: 'no_lot', acquired: null, cost: null } as const,
      ];
      if (act.isAway) away.send(act.units, { cost: ofPart, short: act.units - taken });
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
