/** Nodes in sync: those of a chain that are where it is, when some are late and some say what cannot be. */

/** The latest block as a node tells it. */
export interface LatestBlock {
  /** Its height; 0: the node has said nothing yet. */
  readonly height: number;
  /** Unix time of its header in milliseconds; 0 when no header was ever seen. */
  readonly time: number;
  /** Unix time in milliseconds at which the node said so. */
  readonly saidAt: number;
}

/** Time that a node's latest block may be older than another's: beyond it the node is late. */
const LATE_MS = 15_000;
/** Shortest time between two blocks: no chain makes them faster. */
const BLOCK_MS_MIN = 1000;

/**
 * Leaves out nodes that are late by their own block's time, and those whose height is far from what most of the others
 * say: of two, from the lower one. So nobody makes honest nodes look late by telling a height that is not there yet.
 * @param now Unix time in milliseconds
 */
export function inSync<Node extends { readonly latest: LatestBlock }>(nodes: readonly Node[], now: number): Node[] {
  // A block from the future makes nobody late.
  const timeOf = ({ latest }: Node) => Math.min(latest.time, now);
  const newest = Math.max(...nodes.map(timeOf));
  const punctual = nodes.filter((node) => node.latest.time === 0 || newest - timeOf(node) <= LATE_MS);
  const said = punctual.map(({ latest }) => latest).filter(({ time }) => time > 0);
  const median = said.sort((a, b) => a.height - b.height)[(said.length - 1) >> 1];
  if (!median) return punctual;
  const since = Math.max(0, now - median.saidAt); // the clock may have been set back
  const mostApart = (LATE_MS + since) / BLOCK_MS_MIN;
  return punctual.filter(({ latest: { height } }) => height === 0 || Math.abs(height - median.height) <= mostApart);
}
