/** Which nodes of a chain are where it is, when some are late and some say what can't be. */

/** What a node says of the latest block. */
export interface LatestBlock {
  /** 0: it has said nothing yet. */
  readonly height: number;
  /** Unix time in milliseconds that its header has; 0 when it was never seen. */
  readonly time: number;
  /** When it was said, likewise. */
  readonly saidAt: number;
}

/** A node whose latest block is so much older than another's is late. */
const LATE_MS = 15_000;
/** No chain makes blocks faster. */
const SHORTEST_BLOCK_MS = 1000;

/**
 * Leaves out nodes that are late by their own block's time, and those whose height is far from what most of the others
 * say: of two, from the lower one. So nobody makes honest nodes look late by telling a height that is not there yet.
 * @param now Unix time in milliseconds
 */
export function timely<Node extends { readonly latest: LatestBlock }>(nodes: readonly Node[], now: number): Node[] {
  // A block from the future makes nobody late.
  const timeOf = ({ latest }: Node) => Math.min(latest.time, now);
  const newest = Math.max(...nodes.map(timeOf));
  const punctual = nodes.filter((node) => node.latest.time === 0 || newest - timeOf(node) <= LATE_MS);
  const said = punctual.map(({ latest }) => latest).filter(({ time }) => time > 0);
  const median = said.sort((a, b) => a.height - b.height)[(said.length - 1) >> 1];
  if (!median) return punctual;
  const mostApart = (LATE_MS + now - median.saidAt) / SHORTEST_BLOCK_MS;
  return punctual.filter(({ latest: { height } }) => height === 0 || Math.abs(height - median.height) <= mostApart);
}
