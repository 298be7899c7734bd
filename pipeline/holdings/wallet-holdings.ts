/** The rows that a wallet's holdings of any day follow from: its own, and those of its validators. */
import type {
  DelegationInterval,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
} from '../../schemas/types.generated.js';

/** The rows of one wallet, in the order of their tables. */
export interface WalletHoldings {
  /**
   * Liquid balance of the native coin in base units at the close of each day on which it changed, days ascending. It stays until
   * the next entry; before the first one there was none.
   */
  readonly liquid: readonly { readonly day: string; readonly amount: bigint }[];
  readonly intervals: readonly DelegationInterval[];
  readonly unbonding: readonly UnbondingInterval[];
}

/** A validator at the close of a day, as far as the holdings of its delegators follow from it. */
export type ClosedValidator = Omit<ValidatorDay, 'commission'>;

/** The rows of one validator, in ascending order. */
export interface ValidatorHistory {
  readonly days: readonly ClosedValidator[];
  readonly slashes: readonly ValidatorSlash[];
}

/** A UTC day with blocks, and the last of them. A day without blocks has the state of the day before it. */
export interface ClosedDay {
  readonly day: string;
  readonly close_height: number;
}
