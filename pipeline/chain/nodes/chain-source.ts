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

export interface ChainRecord {
  readonly height: number;
  /** JSON text {"height", "block", "block_results"}, not yet looked into. */
  readonly record: string;
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
}
