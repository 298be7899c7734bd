/**
 * Opening coins: the coins of a denom that a wallet held before the index, liquid, staked and unbonding ones. They stand before every
 * lot, since they are older than any, and no lot of any answer is made of them (decisions, "Opening coins leave first"). A deposit, a
 * move into shares or a refund carries them along as what they are.
 */
import type { Lot } from '../lots.js';

/** Base units of each denom that a wallet held before the first block of the index; undefined without a starting state. */
export type OpeningHoldings = ReadonlyMap<string, bigint> | undefined;

/** The acquired day of opening coins: nobody knows it, and it comes before every day. */
export const BEFORE_INDEX = '';

/** Tells opening coins from lots. */
export const isOpening = ({ acquired }: Pick<Lot, 'acquired'>): boolean => acquired === BEFORE_INDEX;
