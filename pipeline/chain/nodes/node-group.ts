/**
 * The nodes of a pool: which of them follow the chain, in which order they get requests, and how long to pause. An
 * address may be a load balancer, whose nodes differ by a few blocks and have pruned different heights.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../base/config-error.js';
import { NodeFailure } from './ask-node.js';
import type { ChainStatus } from './chain-source.js';
import { endpointsOf, type NodeAddress } from './endpoint.js';
import { NodeClient, type NodeStatus, type RoundOf } from './node-client.js';

export interface RetryLimits {
  readonly timeoutMs: { readonly min: number; readonly max: number };
  /** Fetching blocks fails after this many rounds of requests to all nodes without a new record. */
  readonly rounds: number;
  /**
   * Used instead of `rounds` until the first block has arrived. It is smaller, so that a wrong address is reported
   * soon.
   */
  readonly startRounds: number;
  /** Pause after the first failed round. It doubles up to pauseMaxMs; half of each pause is random. */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
  /** Maximum total pause for rate limits while a group of heights is requested. */
  readonly rateLimitMaxMs: number;
  /** Maximum total pause for heights that a node should have according to its status, but does not return yet. */
  readonly promiseMaxMs: number;
  /** Maximum number of further requests for heights that only another node behind the same address may have. */
  readonly farAsks: number;
  /** Maximum time without a new record, for each node. */
  readonly patienceMs: number;
}

const RETRY_LIMITS: RetryLimits = {
  timeoutMs: { min: 1_500, max: 30_000 },
  rounds: 12,
  startRounds: 5,
  pauseMs: 100,
  pauseMaxMs: 5_000,
  rateLimitMaxMs: 300_000,
  promiseMaxMs: 30_000,
  farAsks: 30,
  patienceMs: 30_000,
};

/** A node counts as stuck if its latest block is this much older than another node's. */
const STUCK_MS = 600_000;

type Tip = Pick<NodeStatus, 'latestTime' | 'catchingUp'>;

/**
 * Returns a function that tests whether a node follows the chain. A node that missed an upgrade stays at its last
 * block.
 */
function isCurrentAmong(tips: readonly Tip[]): (tip: Tip) => boolean {
  const times = tips.map(({ latestTime }) => latestTime).filter((time) => !Number.isNaN(time));
  const newest = Math.min(Math.max(...times), Date.now());
  return ({ latestTime, catchingUp }) => !catchingUp && !(newest - latestTime > STUCK_MS);
}

export class NodeGroup {
  readonly nodes: readonly NodeClient[];
  readonly limits: RetryLimits;
  /** Chain ids of the nodes that have sent their status. */
  private readonly known = new Map<NodeClient, string>();
  /** Heights that at least one node has, according to its status. */
  readonly promised = { earliest: Number.POSITIVE_INFINITY, latest: 0 };
  private current = 0;

  constructor(addresses: readonly NodeAddress[], limits: Partial<RetryLimits>) {
    this.limits = { ...RETRY_LIMITS, ...limits };
    this.nodes = endpointsOf(addresses).map((endpoint) => new NodeClient(endpoint, this.limits.timeoutMs));
  }

  async askStatus(): Promise<ChainStatus> {
    for (let round = 1; ; round++) {
      const queried = this.awake();
      const replies = await Promise.allSettled(queried.map((node) => this.meet(node, { round })));
      const failures = replies.flatMap((a) => (a.status === 'rejected' ? [a.reason] : []));
      for (const failure of failures) if (!(failure instanceof NodeFailure)) throw failure;
      const well = replies.flatMap((a, i) => (a.status === 'fulfilled' ? [{ node: queried[i]!, ...a.value }] : []));
      const used = well.find(isCurrentAmong(well)) ?? well.find((node) => !node.catchingUp) ?? well[0];
      const isSlow = (a: (typeof replies)[number]) => a.status === 'rejected' && a.reason.kind === 'slow';
      for (const [i, reply] of replies.entries()) queried[i]!.endpoint.isSilent = used !== undefined && isSlow(reply);
      if (used) {
        this.current = this.nodes.indexOf(used.node);
        const earliest = Math.min(...well.map((node) => node.earliest));
        const latestTime = Number.isNaN(used.latestTime) ? undefined : used.latestTime;
        return { chainId: used.chainId, earliest, latest: used.latest, latestTime };
      }
      const isHopeless = ({ kind, retryAfter }: NodeFailure) =>
        kind === 'refused' || retryAfter > this.limits.rateLimitMaxMs;
      if (round === this.limits.startRounds || failures.every(isHopeless)) {
        const texts = queried.map((node, i) => `${node.name} (${(failures[i] as NodeFailure).message})`);
        throw new ConfigError(`no node answers: ${texts.join(', ')}`);
      }
      const waits = failures.map(({ retryAfter }: NodeFailure) => retryAfter);
      await sleep(this.pause(round) + Math.min(...waits, this.limits.pauseMaxMs));
    }
  }

  /** Requests the status of a node that has not sent it yet. */
  async meetNew(node: NodeClient, asking: RoundOf): Promise<void> {
    if (!this.known.has(node)) await this.meet(node, asking);
  }

  private async meet(node: NodeClient, asking: RoundOf) {
    const status = await node.status(asking);
    for (const [other, chainId] of this.known) {
      if (chainId === status.chainId) continue;
      throw new ConfigError(`the nodes serve two chains: ${node.name} ${status.chainId}, ${other.name} ${chainId}`);
    }
    this.known.set(node, status.chainId);
    this.promised.earliest = Math.min(this.promised.earliest, status.earliest);
    this.promised.latest = Math.max(this.promised.latest, status.latest);
    return status;
  }

  inOrder(): NodeClient[] {
    const [before, after] = [this.nodes.slice(0, this.current), this.nodes.slice(this.current)];
    return this.awake([...after, ...before]);
  }

  /** Returns the nodes without the silent ones, or all nodes if all are silent. */
  awake(nodes = this.nodes): NodeClient[] {
    const awake = nodes.filter(({ endpoint }) => !endpoint.isSilent);
    return awake.length > 0 ? awake : [...nodes];
  }

  leave(node: NodeClient): void {
    if (this.nodes[this.current] === node) this.current = (this.current + 1) % this.nodes.length;
  }

  pause(round: number): number {
    const full = Math.min(this.limits.pauseMs * 2 ** (round - 1), this.limits.pauseMaxMs);
    return full * (0.5 + Math.random() / 2);
  }
}
