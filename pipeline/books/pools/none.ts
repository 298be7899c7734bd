import type { PoolMethod } from './pool.js';

/** Nothing is matched, where gains are not taxed: a disposal has proceeds, and no cost or gain. */
export const none: PoolMethod = {
  name: 'none',
  term: 'disposals are not matched with acquisitions, so cost and gains are not computed',
  match: (acts) => ({
    parts: acts
      .filter(({ kind }) => kind === 'dispose')
      .map((act) => {
        const { units, money } = act;
        return { act, units, rule: 'pool', acquired: null, proceeds: money, cost: null, gain: null };
      }),
    states: [],
  }),
};
