/** Rows from which a wallet's holdings are computed: its own and its validators'. */
import type {
  DelegationInterval,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
} from '../../schemas/types.generated.js';

/** One wallet's rows in table order. */
export interface WalletHoldings {
  /** Liquid native coin in base units, for each day on which it changed, ascending. Zero before the first entry. */
  readonly liquid: readonly { readonly day: string; readonly amount: bigint }[];
  readonly intervals: readonly DelegationInterval[];
  readonly unbonding: readonly UnbondingInterval[];
}

/** A validator's figures at the close of a day that affect its delegators. */
export type ClosedValidator = Omit<ValidatorDay, 'commission'>;

/** One validator's rows, ascending. */
export interface ValidatorHistory {
  readonly days: readonly ClosedValidator[];
  readonly slashes: readonly ValidatorSlash[];
}

/** A UTC day with its last block. A day without blocks has the previous day's state. */
export interface ClosedDay {
  readonly day: string;
  readonly close_height: number;
}
