import {
  type Act,
  AveragePool,
  AwayCosts,
  joins,
  type Matched,
  noteState,
  type Part,
  type PoolMethod,
  type PoolState,
  type PoolTerms,
  partsOf,
  poolPieces,
} from './pool.js';

/** Each acquisition changes the average (§ 2 KryptowährungsVO; 所得税法施行令 119-2). */
export const movingAverage: PoolMethod = {
  name: 'moving_average',
  term: 'moving average cost of a pool',
  match: (acts, terms) => matchAverages(acts, terms, (parts) => parts),
};

/**
 * Matches disposals with the average of a pool.
 * @param settle returns the parts of a disposal that has just left the pool, and may change the pool's cost
 */
export function matchAverages(
  acts: readonly Act[],
  terms: PoolTerms,
  settle: (parts: readonly Part[], act: Act, pool: AveragePool) => readonly Part[],
): Matched {
  const pool = new AveragePool(terms);
  const away = new AwayCosts();
  const parts: Part[] = [];
  const states: PoolState[] = [];
  for (const act of acts) {
    const { kind, day, units, money } = act;
    if (joins(act)) pool.put(units, kind === 'return' ? away.take(units) : money);
    else if (kind === 'shrink') pool.shrink(units);
    else {
      const withdrawn = pool.take(units);
      if (act.isAway) away.send(units, withdrawn);
      if (kind === 'dispose')
        parts.push(...settle(partsOf(act, poolPieces(units, withdrawn), units, money), act, pool));
    }
    noteState(states, day, pool);
  }
  return { parts, states };
}
