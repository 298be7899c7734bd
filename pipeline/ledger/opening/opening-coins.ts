/**
 * Opening coins: liquid, staked and unbonding coins that a wallet held before the index. They leave before every lot
 * and appear as a lot in no response (decisions, "Opening coins leave first").
 */
import type { Lot } from '../lots.js';

/** Base units by denom; undefined without a starting state. */
export type OpeningHoldings = ReadonlyMap<string, bigint> | undefined;

/** Acquired day of opening coins. It sorts before every day. */
export const BEFORE_INDEX = '';

export const isOpening = ({ acquired }: Pick<Lot, 'acquired'>): boolean => acquired === BEFORE_INDEX;
