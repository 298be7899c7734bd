import { formatDecimal } from '../amount.js';
import type { Measured } from '../slices.js';
import type { Holding, WalletState } from '../wallet.js';

/** Reason if no row of the index deposited the coins into the escrow. */
export const NEVER_DEPOSITED = 'not deposited in the index';

const BEFORE_THE_INDEX = 'before the index';

/** Describes coins without known basis: `basis unknown of 4 ATOM`, `no lot for 25 ATOM (before the index)`. */
export function shortageNotes(measured: Measured, holding: Holding, wallet: WalletState, reason?: string): string[] {
  const { unknown, opening, short } = measured;
  const shown = (units: bigint) => `${formatDecimal(units, holding.decimals)} ${holding.symbol}`;
  const words: string[] = [];
  if (unknown > 0n) words.push(`basis unknown of ${shown(unknown)}`);
  if (opening > 0n) words.push(`no lot for ${shown(opening)} (${BEFORE_THE_INDEX})`);
  if (short > 0n) words.push(`no lot for ${shown(short)} (${reason ?? shortageReason(holding, wallet)})`);
  return words;
}

/** With a starting state, only a decision or a movement without a row can cause a shortage. */
function shortageReason({ decidedAway }: Holding, { opening }: WalletState): string {
  if (decidedAway > 0n) return 'by your decision';
  return opening === undefined ? BEFORE_THE_INDEX : 'it is not known why';
}
