import { LOT_METHODS } from '../methods/index.js';
import type { LotMethod } from '../methods/method.js';
import { movingAverage } from './moving-average.js';
import { none } from './none.js';
import type { PoolMethod } from './pool.js';
import { portfolio } from './portfolio.js';
import { sameDay30DaysPool } from './same-day-30-days.js';
import { movingAverageSuperficial } from './superficial-loss.js';
import { totalAverage } from './total-average.js';

const POOL_METHODS: readonly PoolMethod[] = [
  movingAverage,
  totalAverage,
  sameDay30DaysPool,
  movingAverageSuperficial,
  portfolio,
  none,
];

/** Returns undefined for a method that matches lots. */
export const poolMethodNamed = (name: string): PoolMethod | undefined =>
  POOL_METHODS.find((method) => method.name === name);

/** All methods of tax years. */
export const METHODS: readonly (LotMethod | PoolMethod)[] = [...LOT_METHODS, ...POOL_METHODS];

/** Returns the words of a method of lots or pools. */
export const methodWords = (name: string): string => METHODS.find((method) => method.name === name)!.term;
