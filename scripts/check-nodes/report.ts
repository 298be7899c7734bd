import type { Endpoint } from '../../pipeline/chain/nodes/endpoint.js';

/** What `hubledger check-nodes` finds out about a URL. */
export interface NodeReport {
  /** Host and port, without path and query, because they may contain a key. */
  readonly name: string;
  /** URL for the user to set. A path or query that may contain a key is `…`. */
  readonly url: string;
  readonly kind: 'RPC' | 'REST' | null;
  /** Why the URL cannot be used; null if it can. */
  readonly fault: string | null;
  readonly chain: string | null;
  readonly earliest: number | null;
  readonly latest: number | null;
  /** Seconds between the time of the newest block and now. */
  readonly lag_seconds: number | null;
  /** State of the search index, or why the node does not search. Null for REST. */
  readonly index: string | null;
  /** Newest blocks that the index lacks. */
  readonly index_behind: number | null;
  /** Largest tried number of blocks that the node searched within five seconds. */
  readonly search_blocks: number | null;
  /** Largest tried number of blocks below the newest one whose state the node has. */
  readonly states: number | null;
  /** True if the state has the height that was asked for. Null if the node does not say. */
  readonly height_honoured: boolean | null;
  /** True if the node proves the state against the block's header. */
  readonly proofs: boolean | null;
  readonly get: boolean | null;
  readonly post: boolean | null;
  /** Largest tried number of calls in one request that the node accepts; 0 if it refuses batches. */
  readonly batch: number | null;
  /** What happened to many requests at once. */
  readonly limit: string | null;
}

export const emptyReport = ({ name, shownUrl }: Pick<Endpoint, 'name' | 'shownUrl'>): NodeReport => ({
  name,
  url: shownUrl,
  kind: null,
  fault: null,
  chain: null,
  earliest: null,
  latest: null,
  lag_seconds: null,
  index: null,
  index_behind: null,
  search_blocks: null,
  states: null,
  height_honoured: null,
  proofs: null,
  get: null,
  post: null,
  batch: null,
  limit: null,
});

/** Distances from the newest block at which the state is asked for. */
export const DISTANCES = [0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Requests that are sent at once to find a limit. Terms of public nodes allow bursts of 50. */
export const BURST = 20;
