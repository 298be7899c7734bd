/** Coins that a wallet held before the index leave before every lot (decisions, "Opening coins leave first"). */
import type { Lot } from './lots.js';

/** Undefined without a starting state. */
export type OpeningHoldings = ReadonlyMap<string, bigint> | undefined;

/** Sorts before every day. */
export const BEFORE_INDEX = '';

export const isOpening = ({ acquired }: Pick<Lot, 'acquired'>): boolean => acquired === BEFORE_INDEX;
