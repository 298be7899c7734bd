/**
 * The shapes that chain reading hands to classification: a block as CometBFT 0.38 gave it, its transactions decoded.
 * Types only; the one file of chain/ that classification may import.
 */

/** An event as the node lists it. Keys may repeat and their order is not fixed: never turn attributes into a map. */
export interface ChainEventRecord {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/** The part of a block that an event is of, BeginBlock or EndBlock, which the chain writes behind any attribute of a contract's own. */
export const modeOf = ({ attributes }: ChainEventRecord): string | undefined =>
  attributes.findLast(({ key }) => key === 'mode')?.value;

/** One message of a transaction. `inner` are the messages of a MsgExec, in order. */
export interface Message {
  readonly typeUrl: string;
  /**
   * The decoded message (a cosmjs-types object); undefined for a type that is not known, and for bytes that are not of their type.
   * Then `bytes` is all there is.
   */
  readonly value: unknown;
  /** Why the bytes of a known type do not decode; undefined where they do, and for a type that is not known. */
  readonly fault?: string | undefined;
  readonly bytes: Uint8Array;
  readonly inner: readonly Message[];
}

export interface Transaction {
  readonly index: number;
  /** Upper-case hex SHA-256 of the raw bytes. */
  readonly hash: string;
  /** 0 = succeeded. A failed transaction keeps only what its ante handler did. */
  readonly code: number;
  readonly memo: string;
  readonly messages: readonly Message[];
  readonly events: readonly ChainEventRecord[];
}

export interface Block {
  readonly height: number;
  /** RFC 3339 with nanoseconds, as the header says it. */
  readonly time: string;
  /** Upper-case hex. */
  readonly hash: string;
  readonly chainId: string;
  readonly transactions: readonly Transaction[];
  /** finalize_block_events: BeginBlock's and EndBlock's, told apart by their attribute `mode`. */
  readonly events: readonly ChainEventRecord[];
}

/** A change of the set that signs blocks, as the staking module returned it at the end of a block. */
export interface ValidatorUpdate {
  /** Ed25519 public key in base64. */
  readonly publicKey: string;
  /** Whole bonded coins; 0 = leaves the set. */
  readonly power: number;
}

/** Evidence of a validator that signed two blocks of one height, or attacked light clients. */
export interface DoubleSign {
  /** Consensus address, upper-case hex. */
  readonly validatorAddress: string;
  /** Height of the votes, or the last one before the attack. */
  readonly height: number;
}

/** A block with what consensus and the staking module said to each other: for holdings, not for classification. */
export interface FullBlock extends Block {
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly doubleSigns: readonly DoubleSign[];
}
