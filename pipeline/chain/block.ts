/** A block of CometBFT 0.38 with decoded transactions, as classification and the fold read it. */

/** Keys may repeat and have no fixed order: never turn attributes into a map. */
export interface ChainEventRecord {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Returns BeginBlock or EndBlock for an event of the block. The chain appends this attribute, so a contract's own
 * `mode` comes earlier.
 */
export const modeOf = ({ attributes }: ChainEventRecord): string | undefined =>
  attributes.findLast(({ key }) => key === 'mode')?.value;

export interface Message {
  readonly typeUrl: string;
  /** A cosmjs-types object; undefined for an unknown type or bytes that do not decode. */
  readonly value: unknown;
  readonly fault?: string | undefined;
  readonly bytes: Uint8Array;
  readonly inner: readonly Message[];
}

export interface Transaction {
  readonly index: number;
  readonly hash: string;
  /** 0 = succeeded. A failed transaction keeps only its ante handler's effects. */
  readonly code: number;
  readonly memo: string;
  readonly messages: readonly Message[];
  readonly events: readonly ChainEventRecord[];
}

export interface Block {
  readonly height: number;
  readonly time: string;
  readonly hash: string;
  readonly chainId: string;
  readonly transactions: readonly Transaction[];
  /** finalize_block_events. The attribute `mode` distinguishes BeginBlock from EndBlock. */
  readonly events: readonly ChainEventRecord[];
}

export interface ValidatorUpdate {
  readonly publicKey: string;
  /** Whole bonded coins; 0 removes the validator from the set. */
  readonly power: number;
}

export interface DoubleSign {
  readonly validatorAddress: string;
  /** Height of the votes, or the last common height before the attack. */
  readonly height: number;
}

export interface FullBlock extends Block {
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly doubleSigns: readonly DoubleSign[];
}
