/** A change of a delegation or of unbonding coins, in chain order. */
export type StakeAct =
  | {
      readonly kind: 'delegated' | 'unbonding';
      readonly height: number;
      readonly validator: string;
      /** Negative if the stake decreases. */
      readonly amount: bigint;
      /** For a redelegation: the validator from which the coins were moved. */
      readonly source?: string;
      /** For a cancelled unbonding: the height at which its entry began. */
      readonly begun?: number;
    }
  | { readonly kind: 'slash'; readonly height: number; readonly slash: Slash };

export interface Slash {
  readonly height: number;
  /** Index of the event in the block. */
  readonly event: number;
  readonly time: string;
  readonly validator: string;
  readonly reason: 'double_sign' | 'missing_signature';
  /**
   * Height of the validator's fault. The slash also takes coins that began to unbond or to be redelegated at this
   * height or later.
   */
  readonly infraction: number;
  /** Fraction that is taken of each unbonding or redelegated amount, multiplied by 10^18. */
  readonly fraction: bigint;
  /** Fraction that is taken of each delegation, multiplied by 10^18. */
  readonly ofDelegations: bigint;
}
