export interface ChainStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  /**
   * Block time of `latest`, in milliseconds since the epoch. Undefined if the source is a recording, or a node that
   * does not report the time.
   */
  readonly latestTime?: number | undefined;
}

/** A node or recording. Endpoints must be compared by identity, because two of them may have the same name. */
export interface ChainEndpoint {
  readonly name: string;
}

export interface ChainRecord {
  readonly height: number;
  readonly record: string;
  readonly endpoint?: ChainEndpoint | undefined;
  readonly second?: ChainRecord | undefined;
}

/** Heights by index: a list, or an object that computes each height. */
export interface Heights {
  readonly length: number;
  at(index: number): number | undefined;
}

export interface ChainSource {
  status(asks?: number): Promise<ChainStatus>;
  records(from: number, to: number): AsyncGenerator<ChainRecord>;
  /** Yields the records at these heights. Recordings do not have this function. */
  recordsAt?(heights: Heights): AsyncGenerator<ChainRecord>;
  /**
   * Yields a node's replies to the method `block`, without results, from one node after the other. Nodes that run
   * several versions of their program return old results in another form. Recordings do not have this function.
   */
  blocksOnly?(height: number): AsyncGenerator<string>;
  /**
   * Requests a height again after its block failed a check: from the other nodes first, then from the same node.
   * @param doubted node whose block failed the check
   */
  again?(height: number, doubted: ChainEndpoint | undefined): AsyncGenerator<ChainRecord>;
  second?(height: number, first: ChainEndpoint | undefined): Promise<ChainRecord | undefined>;
}
