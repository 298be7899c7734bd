/** A chain source gives blocks: a node over RPC, or a recording of one. Both give the node's own text. */

export interface ChainStatus {
  /** Network id that the source reports. */
  readonly chainId: string;
  /** Lowest and highest height that it has. */
  readonly earliest: number;
  readonly latest: number;
}

export interface ChainRecord {
  readonly height: number;
  /** JSON text {"height", "block", "block_results"}, not yet looked into. */
  readonly record: string;
}

export interface ChainSource {
  /** @throws ConfigError when no source answers, or one of another chain */
  status(): Promise<ChainStatus>;
  /**
   * The records of the heights from..to, both inclusive, in ascending order.
   * @throws BlockError for a height that the source does not have
   */
  records(from: number, to: number): AsyncGenerator<ChainRecord>;
}
