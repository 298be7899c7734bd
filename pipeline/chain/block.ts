/** An event of the chain. Attributes are a list, because keys may repeat. */
export interface ChainEventRecord {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Returns the phase of a block's own event: BeginBlock or EndBlock. Reads the last attribute `mode`, which the chain
 * adds, because a contract may have added another one before.
 */
export const modeOf = ({ attributes }: ChainEventRecord): string | undefined =>
  attributes.findLast(({ key }) => key === 'mode')?.value;

export interface Message {
  readonly typeUrl: string;
  /** The decoded message, a cosmjs-types object. Undefined if the type is unknown or the bytes cannot be decoded. */
  readonly value: unknown;
  readonly fault?: string | undefined;
  readonly bytes: Uint8Array;
  readonly inner: readonly Message[];
}

export interface Transaction {
  readonly index: number;
  readonly hash: string;
  /**
   * 0 if the transaction succeeded. A failed transaction keeps only the effects of its ante handler, such as the fee.
   */
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
  /** The events of the block itself (finalize_block_events). Their attribute `mode` is BeginBlock or EndBlock. */
  readonly events: readonly ChainEventRecord[];
}

export interface ValidatorUpdate {
  readonly publicKey: string;
  /** Voting power in whole bonded coins; 0 removes the validator from the set. */
  readonly power: number;
}

export interface DoubleSign {
  readonly validatorAddress: string;
  /** Height of the two votes. For a light client attack, the last height that both chains have in common. */
  readonly height: number;
}

export interface FullBlock extends Block {
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly doubleSigns: readonly DoubleSign[];
}
