import type { StartingDifference } from '../../../schemas/types.generated.js';
import type { TokenIdentity } from './token-identity.js';

/** A starting state in a few words: what everything that begins from it must know. */
export interface Start {
  /** Network id that the state is of. */
  readonly chainId: string;
  /** The height that the state is of; 0 for a genesis. */
  readonly height: number;
  /** Denoms of balances too large for a table. */
  readonly oversized: readonly string[];
  /** Sums that do not hold in it. */
  readonly differences: readonly StartingDifference[];
  /** Names of tokens in it, of each that has any. */
  readonly identities: readonly TokenIdentity[];
  /** Traces of its IBC vouchers. */
  readonly voucherTraces: readonly string[];
}
