export interface ChainStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  /** Milliseconds since the epoch; undefined for recordings and if a node does not report it. */
  readonly latestTime?: number | undefined;
}

/** Compared by identity, since names may repeat. */
export interface ChainEndpoint {
  readonly name: string;
}

export interface ChainRecord {
  readonly height: number;
  readonly record: string;
  readonly endpoint?: ChainEndpoint | undefined;
  readonly second?: ChainRecord | undefined;
}

export interface ChainSource {
  /**
   * @param asks number of requests. A load balancer may have nodes that keep few blocks; the result covers the widest
   * range
   * @throws ConfigError if no node answers or a node has another chain
   */
  status(asks?: number): Promise<ChainStatus>;
  records(from: number, to: number): AsyncGenerator<ChainRecord>;
  /**
   * Requests a height again after a failed check: first from other nodes, then from the same one. Nodes without an
   * answer are skipped.
   * @param doubted node whose answer failed
   */
  again?(height: number, doubted: ChainEndpoint | undefined): AsyncGenerator<ChainRecord>;
  second?(height: number, first: ChainEndpoint | undefined): Promise<ChainRecord | undefined>;
}
