/** A network of the contract API: several nodes (REST endpoints) of one chain. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KnownNetwork } from '../../schemas/types.generated.js';
import { LIMITS } from '../http/limits.js';
import { Problem, type ProblemCode } from '../http/problem.js';
import { type FaultKind, type NodeQuery, UpstreamFault } from './node-query.js';
import { type LatestBlock, NOT_NEEDED, type NodeReply, ReplyReader, slowNode, Upstream } from './upstream.js';

const { max: DEADLINE_MS } = LIMITS.nodes.answerTime;
/** If a node has not responded after this time, the query is also sent to a second node. */
const HEDGE_MS = 500;
/** Maximum time for which the first request waits for the first health checks. */
const FIRST_HEALTH_CHECK_MS = 1000;
/** A node may answer queries about the latest state if it is at most this many blocks behind. */
const BLOCKS_BEHIND_MAX = 3;

const CODES: Readonly<Record<FaultKind, ProblemCode>> = {
  down: 'unavailable',
  busy: 'unavailable',
  timeout: 'upstream_timeout',
  invalid_response: 'upstream_error',
  unclear: 'upstream_error',
};
const DETAILS: Readonly<Partial<Record<ProblemCode, string>>> = {
  upstream_timeout: 'no node of the network answered in time',
  upstream_error: 'the nodes of the network sent no usable answer',
};

export class Network {
  private readonly upstreams: readonly Upstream[];
  private isChecked = false;

  constructor(
    readonly name: string,
    endpoints: readonly string[],
    private readonly known: KnownNetwork | undefined,
    reader = new ReplyReader(),
  ) {
    this.upstreams = endpoints.map((url) => new Upstream(url, reader));
  }

  get bech32Prefix(): string | undefined {
    return this.known?.bech32_prefix;
  }

  get height(): number {
    return Math.max(0, ...this.usable().map(({ latest }) => latest.height));
  }

  async close(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  /** Starts the health checks that are due. Waits for their results only if no node is usable. */
  async checkHealth(): Promise<void> {
    const checks = Promise.all(this.upstreams.map((upstream) => upstream.checkHealth()));
    if (this.isChecked && this.usable().length > 0) return;
    await Promise.race([checks, wait(FIRST_HEALTH_CHECK_MS, undefined, { ref: false })]);
    this.isChecked = true;
  }

  /** Sends the query to the best node. If this node fails or is slow, also sends it to the second best node. */
  async ask(query: NodeQuery): Promise<NodeReply> {
    await this.checkHealth();
    const [first, second] = this.usable(query.height);
    if (!first) throw this.problem(this.upstreams.flatMap(({ circuit }) => circuit.lastFault ?? []));
    const done = new AbortController();
    const { signal } = done;
    const deadline = setTimeout(() => done.abort(slowNode()), DEADLINE_MS);
    try {
      const one = this.askOne(first, query, signal);
      if (!second) return await one;
      if (await succeedsWithin(one, HEDGE_MS)) return await one;
      return await Promise.any([one, this.askOne(second, query, signal)]);
    } catch (error) {
      return this.settle(error instanceof AggregateError ? error.errors : [error]);
    } finally {
      clearTimeout(deadline);
      done.abort(NOT_NEEDED);
    }
  }

  private async askOne(node: Upstream, query: NodeQuery, signal: AbortSignal): Promise<NodeReply> {
    const reply = await node.ask(query, signal);
    if (reply.refusal?.elsewhere) throw new Elsewhere(reply);
    if (query.height !== undefined) return reply;
    const { height = this.height } = reply;
    const isLate = height < this.height - BLOCKS_BEHIND_MAX;
    if (!isLate && inSync(this.onExpectedChain(), Date.now()).includes(node)) return reply;
    throw new UpstreamFault('invalid_response', `the node answered for height ${height}, which is not the latest`);
  }

  private settle(failures: readonly unknown[]): NodeReply {
    for (const failure of failures) {
      if (failure instanceof Elsewhere) return failure.reply;
      if (!(failure instanceof UpstreamFault)) throw failure;
    }
    throw this.problem(failures as UpstreamFault[]);
  }

  private problem(faults: readonly UpstreamFault[]): Problem {
    const codes = new Set(faults.map(({ kind }) => CODES[kind]));
    const [code = 'unavailable'] = codes.size === 1 ? codes : [];
    const soonest = Math.min(...this.upstreams.map(({ circuit }) => circuit.until)) - performance.now();
    const retryAfter = Math.max(1, Math.ceil(soonest / 1000));
    return new Problem(code, DETAILS[code] ?? 'no node of the network is available now', { retryAfter });
  }

  get state() {
    return { nodes: this.upstreams.length, usable: this.upstreams.filter(({ circuit }) => !circuit.isOpen).length };
  }

  /** Returns the usable nodes, best node first. */
  private usable(height?: number): Upstream[] {
    const closed = this.onExpectedChain().filter(({ circuit }) => !circuit.isOpen);
    const nodes = height === undefined ? inSync(closed, Date.now()) : closed;
    const rank = ({ circuit }: Upstream) => Number(circuit.isDoubtful);
    return nodes.sort((a, b) => rank(a) - rank(b) || a.latency - b.latency);
  }

  /** Returns the nodes with the chain id that most nodes report. In a tie, the already known chain id is used. */
  private onExpectedChain(): Upstream[] {
    const votes = new Map<string, number>();
    for (const { chainId } of this.upstreams) if (chainId) votes.set(chainId, (votes.get(chainId) ?? 0) + 1);
    const expected = this.known?.chain_id;
    const weight = ([chainId, count]: [string, number]) => count + (chainId === expected ? 0.5 : 0);
    const [winner] = [...votes].sort((a, b) => weight(b) - weight(a))[0] ?? [];
    return this.upstreams.filter(({ chainId }) => chainId === undefined || chainId === winner);
  }
}

class Elsewhere extends Error {
  constructor(readonly reply: NodeReply) {
    super(reply.refusal?.detail);
  }
}

function succeedsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const success = promise.then(
    () => true,
    () => false,
  );
  return Promise.race([success, wait(ms, false, { ref: false })]);
}

/** A node is out of sync if its latest block is this much older than the newest block of all nodes. */
const LATE_MS = 15_000;
const BLOCK_MS_MIN = 1000;

/**
 * Drops nodes whose latest block is old or whose height is far from the median height. Because of the median, a node
 * that reports a false high block cannot exclude honest nodes.
 */
export function inSync<Node extends { readonly latest: LatestBlock }>(nodes: readonly Node[], now: number): Node[] {
  // A block time in the future counts as the current time.
  const timeOf = ({ latest }: Node) => Math.min(latest.time, now);
  const newest = Math.max(...nodes.map(timeOf));
  const punctual = nodes.filter((node) => node.latest.time === 0 || newest - timeOf(node) <= LATE_MS);
  const latest = punctual.map(({ latest }) => latest).filter(({ time }) => time > 0);
  const median = latest.sort((a, b) => a.height - b.height)[(latest.length - 1) >> 1];
  if (!median) return punctual;
  const since = Math.max(0, now - median.reportedAt); // not negative, even if the clock was set back
  const mostApart = (LATE_MS + since) / BLOCK_MS_MIN;
  return punctual.filter(({ latest: { height } }) => height === 0 || Math.abs(height - median.height) <= mostApart);
}
