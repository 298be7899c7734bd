/** Finds nodes in sync with their chain; some nodes are late, some report impossible heights. */

export interface LatestBlock {
  /** 0 if unknown. */
  readonly height: number;
  /** Unix time of the header in milliseconds; 0 if unknown. */
  readonly time: number;
  /** Unix time of the report in milliseconds. */
  readonly reportedAt: number;
}

/** Maximum age of a block compared with the newest block of another node. */
const LATE_MS = 15_000;
/** No chain is faster. */
const BLOCK_MS_MIN = 1000;

/**
 * Drops late nodes, and nodes whose height is far from the median (of two, from the lower one). A node that reports a
 * false high block cannot make honest nodes look late.
 * @param now Unix time in milliseconds
 */
export function inSync<Node extends { readonly latest: LatestBlock }>(nodes: readonly Node[], now: number): Node[] {
  // Ignores times in the future.
  const timeOf = ({ latest }: Node) => Math.min(latest.time, now);
  const newest = Math.max(...nodes.map(timeOf));
  const punctual = nodes.filter((node) => node.latest.time === 0 || newest - timeOf(node) <= LATE_MS);
  const said = punctual.map(({ latest }) => latest).filter(({ time }) => time > 0);
  const median = said.sort((a, b) => a.height - b.height)[(said.length - 1) >> 1];
  if (!median) return punctual;
  const since = Math.max(0, now - median.reportedAt); // the clock may go back
  const mostApart = (LATE_MS + since) / BLOCK_MS_MIN;
  return punctual.filter(({ latest: { height } }) => height === 0 || Math.abs(height - median.height) <= mostApart);
}
