import type { LotMethod } from './method.js';

/** The default (US Reg. §1.1012-1(j)). */
export const fifo: LotMethod = {
  name: 'fifo',
  term: 'first in, first out',
  rule: 'the oldest lots are sold first',
  compare: (a, b) => (a.acquired < b.acquired ? -1 : a.acquired > b.acquired ? 1 : 0),
  ties: 'first in',
};
