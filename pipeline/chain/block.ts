/** Do not convert attributes to a map: keys may repeat, and their order differs. */
export interface ChainEventRecord {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Returns BeginBlock or EndBlock for a block event. Takes the last `mode`, which the chain appends: a contract may add
 * its own `mode` before it.
 */
export const modeOf = ({ attributes }: ChainEventRecord): string | undefined =>
  attributes.findLast(({ key }) => key === 'mode')?.value;

export interface Message {
  readonly typeUrl: string;
  /** A cosmjs-types object. Undefined if the type is unknown or the bytes cannot be decoded. */
  readonly value: unknown;
  readonly fault?: string | undefined;
  readonly bytes: Uint8Array;
  readonly inner: readonly Message[];
}

export interface Transaction {
  readonly index: number;
  readonly hash: string;
  /** 0 if the transaction succeeded. A failed one keeps only the effects of its ante handler. */
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
  /** In whole bonded coins; 0 removes the validator from the set. */
  readonly power: number;
}

export interface DoubleSign {
  readonly validatorAddress: string;
  /** Height of the two votes, or the last common height before a light client attack. */
  readonly height: number;
}

export interface FullBlock extends Block {
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly doubleSigns: readonly DoubleSign[];
}
