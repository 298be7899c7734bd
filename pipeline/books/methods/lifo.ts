import { fifo } from './fifo.js';
import type { LotMethod } from './method.js';

export const lifo: LotMethod = {
  name: 'lifo',
  term: 'last in, first out',
  rule: 'the newest lots are sold first',
  compare: (a, b) => fifo.compare(b, a),
  ties: 'last in',
};
