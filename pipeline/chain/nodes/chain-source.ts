/** A chain source gives blocks: a node over RPC, or a recording of one. Both give the node's own text. */

export interface ChainStatus {
  /** Network id that the source reports. */
  readonly chainId: string;
  /** Lowest and highest height that it has. */
  readonly earliest: number;
  readonly latest: number;
  /** Time of the highest block in milliseconds since the epoch; undefined for a recording, and where a node does not say it. */
  readonly latestTime?: number | undefined;
}

/** A node that answers for a source, by identity: several may have the same name. */
export interface ChainEndpoint {
  /** Host and port. */
  readonly name: string;
}

export interface ChainRecord {
  readonly height: number;
  /** JSON text {"height", "block", "block_results"}, not yet looked into. */
  readonly record: string;
  /** The node that gave it; undefined for a recording. */
  readonly endpoint?: ChainEndpoint | undefined;
  /** Another node's answer about a height of the cross-check; undefined where no other node gave one. */
  readonly second?: ChainRecord | undefined;
}

export interface ChainSource {
  /**
   * @param asks how often it is asked. Behind one address there may be several nodes, some of which keep few blocks: the answer is
   * the widest of all
   * @throws ConfigError when no source answers, or one of another chain
   */
  status(asks?: number): Promise<ChainStatus>;
  /**
   * The records of the heights from..to, both inclusive, in ascending order.
   * @throws BlockError for a height that the source does not have
   */
  records(from: number, to: number): AsyncGenerator<ChainRecord>;
  /**
   * Asks for a height again, since an answer failed its check: the other nodes one after the other, then the same one. Those that give
   * nothing are left out. Undefined where nobody else can be asked.
   * @param doubted the node that gave the answer
   */
  again?(height: number, doubted: ChainEndpoint | undefined): AsyncGenerator<ChainRecord>;
  /** Asks another node than the first. Undefined for a recording. */
  second?(height: number, first: ChainEndpoint | undefined): Promise<ChainRecord | undefined>;
}
