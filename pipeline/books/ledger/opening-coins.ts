/** Opening coins are coins that a wallet held before the first indexed block. They are sold before any lot. */
import type { Lot } from './lots.js';

/** Base units held before the index, by denom. Undefined if the dataset has no starting state. */
export type OpeningHoldings = ReadonlyMap<string, bigint> | undefined;

/** Acquired day of opening coins. In the order of days, it comes before every real day. */
export const BEFORE_INDEX = '';

export const isOpening = ({ acquired }: Pick<Lot, 'acquired'>): boolean => acquired === BEFORE_INDEX;
