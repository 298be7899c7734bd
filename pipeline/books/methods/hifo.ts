import { fifo } from './fifo.js';
import type { LotMethod } from './method.js';

/** Of lots at one unit cost, the oldest leaves first. Lots of unknown cost leave last. */
export const hifo: LotMethod = {
  name: 'hifo',
  term: 'highest cost first',
  rule: 'the lots with the highest cost per coin are sold first',
  compare(a, b) {
    if (a.basis === null || b.basis === null)
      return Number(a.basis === null) - Number(b.basis === null) || fifo.compare(a, b);
    const [left, right] = [a.basis * b.quantity, b.basis * a.quantity];
    return left === right ? fifo.compare(a, b) : left > right ? -1 : 1;
  },
  ties: 'first in',
};
