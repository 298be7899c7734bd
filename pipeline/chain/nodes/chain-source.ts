export interface ChainStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  /**
   * Block time of `latest` in milliseconds since the epoch. Undefined for recordings and for nodes that do not report
   * it.
   */
  readonly latestTime?: number | undefined;
}

/** Compare endpoints by identity, because names may repeat. */
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
   * @param asks number of requests. Nodes behind a load balancer store different heights; the result spans all of them
   * @throws ConfigError if no node answers or a node serves another chain
   */
  status(asks?: number): Promise<ChainStatus>;
  records(from: number, to: number): AsyncGenerator<ChainRecord>;
  /**
   * Requests a height again after its block failed a check. Asks the other nodes first, then the same node. Yields only
   * received records.
   * @param doubted node whose block failed the check
   */
  again?(height: number, doubted: ChainEndpoint | undefined): AsyncGenerator<ChainRecord>;
  second?(height: number, first: ChainEndpoint | undefined): Promise<ChainRecord | undefined>;
}
