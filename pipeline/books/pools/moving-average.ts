import {
  AveragePool,
  joins,
  noteState,
  type Part,
  type PoolMethod,
  type PoolState,
  partsOf,
  poolPieces,
} from './pool.js';

/** Each acquisition changes the average (§ 2 KryptowährungsVO; 所得税法施行令 119-2). */
export const movingAverage: PoolMethod = {
  name: 'moving_average',
  term: 'moving average cost of a pool',
  match(acts, terms) {
    const pool = new AveragePool(terms);
    const parts: Part[] = [];
    const states: PoolState[] = [];
    for (const act of acts) {
      const { kind, day, units, money } = act;
      if (joins(act)) pool.put(units, money);
      else {
        const withdrawn = pool.take(units);
        if (kind === 'dispose') parts.push(...partsOf(act, poolPieces(units, withdrawn), units, money));
      }
      noteState(states, day, pool);
    }
    return { parts, states };
  },
};
