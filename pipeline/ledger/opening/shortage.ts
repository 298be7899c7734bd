/** Words of a memo about coins that left without a lot of known basis, and why there is none. */
import { formatDecimal } from '../amount.js';
import type { Measured } from '../slices.js';
import type { Holding, WalletState } from '../wallet.js';

/** Reason why an escrow has no lot: nothing of it was put in by rows of the index. */
export const NEVER_DEPOSITED = 'not deposited in the index';

const BEFORE_THE_INDEX = 'before the index';

/**
 * The parts of what was taken that have no known basis, in words: `basis unknown of 4 ATOM`, `no lot for 25 ATOM (before the index)`.
 * @param reason why no lot was left, where the holding does not tell
 */
export function lacks(measured: Measured, holding: Holding, wallet: WalletState, reason?: string): string[] {
  const { unknown, opening, short } = measured;
  const shown = (units: bigint) => `${formatDecimal(units, holding.decimals)} ${holding.symbol}`;
  const words: string[] = [];
  if (unknown > 0n) words.push(`basis unknown of ${shown(unknown)}`);
  if (opening > 0n) words.push(`no lot for ${shown(opening)} (${BEFORE_THE_INDEX})`);
  if (short > 0n) words.push(`no lot for ${shown(short)} (${reason ?? whyShort(holding, wallet)})`);
  return words;
}

/**
 * Why the lots of a holding do not suffice. With a starting state its opening coins were known, so that only a decision or something
 * that no row tells can be the cause.
 */
function whyShort({ decidedAway }: Holding, { opening }: WalletState): string {
  if (decidedAway > 0n) return 'by your decision';
  return opening === undefined ? BEFORE_THE_INDEX : 'it is not known why';
}
