/** Callbacks that take what a starting state says beside what the fold needs. */
import type { TokenIdentity } from './token-identity.js';

export interface StartListener {
  /** A balance that an account has before the first block, base units; what a genesis' transactions move counts with its sign. */
  onBalance(address: string, denom: string, amount: bigint): void;
  /** Takes a deposit, in base units, of an account into a proposal that is open before the first block. */
  onDeposit(proposal: string, address: string, denom: string, amount: bigint): void;
  /** Takes the name that an operator gave its validator before the first block. */
  onValidator(operator: string, moniker: string): void;
  /** Takes the names that a token has before the first block. */
  onIdentity(identity: TokenIdentity): void;
  /** Takes the trace of an IBC voucher that the chain knows before the first block. */
  onVoucherTrace(trace: string): void;
}

export const DEAF: StartListener = {
  onBalance() {},
  onDeposit() {},
  onValidator() {},
  onIdentity() {},
  onVoucherTrace() {},
};
