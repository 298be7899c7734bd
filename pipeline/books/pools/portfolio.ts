import { halfUp } from '../../base/values/amount.js';
import { joins, type Part, type PoolMethod, type PoolState } from './pool.js';

/**
 * A disposal takes the part of the whole cost that its price is of the value of all coins (BOI-RPPM-PVBMC-30-20). This
 * value is known only to the owner: without it, cost and gain are unknown.
 */
export const portfolio: PoolMethod = {
  name: 'portfolio',
  term: 'share of the value of all coins',
  match(acts) {
    const parts: Part[] = [];
    const states: PoolState[] = [];
    let units = 0n;
    let cost: bigint | null = 0n;
    for (const act of acts) {
      const { kind, day, money: proceeds, portfolio: value } = act;
      units += joins(act) ? act.units : -act.units;
      if (joins(act)) {
        // Coins that come home have not taken any cost with them.
        if (kind !== 'return') cost = cost === null || proceeds === null ? null : cost + proceeds;
      } else if (kind === 'dispose') {
        const part: bigint | null =
          cost === null || proceeds === null || value === undefined ? null : halfUp(cost * proceeds, value);
        const gain = part === null ? null : proceeds! - part;
        parts.push({ act, units: act.units, rule: 'pool', acquired: null, proceeds, cost: part, gain });
        cost = part === null ? null : cost! - part;
      }
      if (states.at(-1)?.day === day) states.pop();
      states.push({ day, units, cost });
    }
    return { parts, states };
  },
};
