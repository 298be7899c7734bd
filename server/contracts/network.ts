/** A network of the contract API: several REST endpoints that answer for each other. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KnownNetwork } from '../../schemas/types.generated.js';
import { LIMITS } from '../limits.js';
import { Problem, type ProblemCode } from '../problem.js';
import { inSync } from './in-sync.js';
import { type FaultKind, type NodeQuery, UpstreamFault } from './node-query.js';
import { type Answered, AnswerReader, NOT_NEEDED, tooLate, Upstream } from './upstream.js';

/** Time that an answer may take in all. */
const { max: DEADLINE_MS } = LIMITS.nodes.answerTime;
/** Time that the first node may be silent before a second one is asked, too. */
const HEDGE_MS = 500;
/** Time that the first request of all waits for health checks. */
const FIRST_HEALTH_CHECK_MS = 1000;
/** Blocks that an answer may be behind the latest one to be of the latest state. */
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
  upstream_error: 'the nodes of the network answer with nothing that can be used',
};

export class Network {
  private readonly upstreams: readonly Upstream[];
  private isChecked = false;

  /** Makes a network, which connects to nothing yet. @param known undefined where only the operator knows the network */
  constructor(
    readonly name: string,
    endpoints: readonly string[],
    private readonly known: KnownNetwork | undefined,
    reader = new AnswerReader(),
  ) {
    this.upstreams = endpoints.map((url) => new Upstream(url, reader));
  }

  /** Prefix of its addresses; undefined when any will do. */
  get bech32Prefix(): string | undefined {
    return this.known?.bech32_prefix;
  }

  /** Height of the latest block that is known; 0 before any is. */
  get height(): number {
    return Math.max(0, ...this.usable().map(({ latest }) => latest.height));
  }

  async close(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  /** Checks the health of its nodes where it is time to. Does not wait for that once there is a node to ask. */
  async checkHealth(): Promise<void> {
    const checks = Promise.all(this.upstreams.map((upstream) => upstream.checkHealth()));
    if (this.isChecked && this.usable().length > 0) return;
    await Promise.race([checks, wait(FIRST_HEALTH_CHECK_MS, undefined, { ref: false })]);
    this.isChecked = true;
  }

  /**
   * Asks one node, and another one when that fails or is slow: never more than two, never one twice.
   * @throws Problem upstream_error, upstream_timeout, unavailable
   */
  async ask(query: NodeQuery): Promise<Answered> {
    await this.checkHealth();
    const [first, second] = this.usable(query.height);
    if (!first) throw this.problem(this.upstreams.flatMap(({ circuit }) => circuit.lastFault ?? []));
    const done = new AbortController();
    const { signal } = done;
    const deadline = setTimeout(() => done.abort(tooLate()), DEADLINE_MS);
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

  /** Asks one node. @throws Elsewhere, UpstreamFault where the answer is not of the latest state */
  private async askOne(node: Upstream, query: NodeQuery, signal: AbortSignal): Promise<Answered> {
    const answered = await node.ask(query, signal);
    if (answered.refusal?.elsewhere) throw new Elsewhere(answered);
    if (query.height !== undefined) return answered;
    const { height = this.height } = answered;
    const isLate = height < this.height - BLOCKS_BEHIND_MAX;
    if (!isLate && inSync(this.onExpectedChain(), Date.now()).includes(node)) return answered;
    throw new UpstreamFault('invalid_response', `the node answered for height ${height}, which is not the latest`);
  }

  /** Settles a query to which no node had an acceptable answer: a refusal of one is still an answer. */
  private settle(failures: readonly unknown[]): Answered {
    for (const failure of failures) {
      if (failure instanceof Elsewhere) return failure.answered;
      if (!(failure instanceof UpstreamFault)) throw failure;
    }
    throw this.problem(failures as UpstreamFault[]);
  }

  private problem(faults: readonly UpstreamFault[]): Problem {
    const codes = new Set(faults.map(({ kind }) => CODES[kind]));
    const [code = 'unavailable'] = codes.size === 1 ? codes : [];
    const soonest = Math.min(...this.upstreams.map(({ circuit }) => circuit.until)) - performance.now();
    const retryAfter = Math.max(1, Math.ceil(soonest / 1000));
    return new Problem(code, DETAILS[code] ?? 'no node of the network can be asked now', { retryAfter });
  }

  /** The number of its nodes, and of those whose circuit is closed. */
  get state() {
    return { nodes: this.upstreams.length, usable: this.upstreams.filter(({ circuit }) => !circuit.isOpen).length };
  }

  /** Nodes to ask, the best first: those that fail come last, then those that are slow, else they are in the order of the configuration. */
  private usable(height?: number): Upstream[] {
    const closed = this.onExpectedChain().filter(({ circuit }) => !circuit.isOpen);
    const nodes = height === undefined ? inSync(closed, Date.now()) : closed;
    const rank = ({ circuit }: Upstream) => Number(circuit.isDoubtful);
    return nodes.sort((a, b) => rank(a) - rank(b) || a.latency - b.latency);
  }

  /** Nodes of the chain that most of them report; where they are even, of the known one, or that of the first. */
  private onExpectedChain(): Upstream[] {
    const votes = new Map<string, number>();
    for (const { chainId } of this.upstreams) if (chainId) votes.set(chainId, (votes.get(chainId) ?? 0) + 1);
    const expected = this.known?.chain_id;
    const weight = ([chainId, count]: [string, number]) => count + (chainId === expected ? 0.5 : 0);
    const [winner] = [...votes].sort((a, b) => weight(b) - weight(a))[0] ?? [];
    return this.upstreams.filter(({ chainId }) => chainId === undefined || chainId === winner);
  }
}

/** A refusal of one node alone, where another node may answer. */
class Elsewhere extends Error {
  constructor(readonly answered: Answered) {
    super(answered.refusal?.detail);
  }
}

/** Whether a promise is fulfilled within the time; a rejection ends the wait. */
function succeedsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const success = promise.then(
    () => true,
    () => false,
  );
  return Promise.race([success, wait(ms, false, { ref: false })]);
}
