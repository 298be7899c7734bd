/** A network of the contract API: several REST endpoints that answer for each other. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KnownNetwork } from '../../schemas/types.generated.js';
import { Problem, type ProblemCode } from '../problem.js';
import { timely } from './in-sync.js';
import { type FaultKind, type Question, UpstreamFault } from './node-query.js';
import { type Answered, NOT_NEEDED, tooLate, Upstream } from './upstream.js';

/** All that an answer may take. */
const DEADLINE_MS = 5000;
/** How long the first node may be silent before a second one is asked, too. */
const HEDGE_MS = 500;
/** How long the first request of all waits for nodes to say how they are. */
const FIRST_LOOK_MS = 1000;
/** An answer that is further behind the latest block is not of the latest state. */
const MOST_BLOCKS_BEHIND = 3;

const CODES: Readonly<Record<FaultKind, ProblemCode>> = {
  down: 'unavailable',
  busy: 'unavailable',
  timeout: 'upstream_timeout',
  nonsense: 'upstream_error',
  unclear: 'upstream_error',
};
const DETAILS: Readonly<Partial<Record<ProblemCode, string>>> = {
  upstream_timeout: 'no node of the network answered in time',
  upstream_error: 'the nodes of the network answer with nothing that can be used',
};

export class Network {
  private readonly upstreams: readonly Upstream[];
  private looked = false;

  /** @param known undefined where only the operator knows the network */
  constructor(
    readonly name: string,
    endpoints: readonly string[],
    private readonly known: KnownNetwork | undefined,
  ) {
    this.upstreams = endpoints.map((url) => new Upstream(url));
  }

  /** Of its addresses; undefined when any will do. */
  get bech32Prefix(): string | undefined {
    return this.known?.bech32_prefix;
  }

  /** The latest block that is known; 0 before any is. */
  get height(): number {
    return Math.max(0, ...this.usable().map(({ latest }) => latest.height));
  }

  async close(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  /** Looks at the health of its nodes, where it is time to. Does not wait for it once there is a node to ask. */
  async look(): Promise<void> {
    const looks = Promise.all(this.upstreams.map((upstream) => upstream.look()));
    if (this.looked && this.usable().length > 0) return;
    await Promise.race([looks, wait(FIRST_LOOK_MS, undefined, { ref: false })]);
    this.looked = true;
  }

  /**
   * Asks one node, and another one when that fails or is slow: never more than two, never one twice.
   * @throws Problem upstream_error, upstream_timeout, unavailable
   */
  async ask(question: Question): Promise<Answered> {
    await this.look();
    const [first, second] = this.usable(question.height);
    if (!first) throw this.problem(this.upstreams.flatMap(({ circuit }) => circuit.lastFault ?? []));
    const done = new AbortController();
    const { signal } = done;
    const deadline = setTimeout(() => done.abort(tooLate()), DEADLINE_MS);
    try {
      const one = this.askOne(first, question, signal);
      if (!second) return await one;
      if (await succeedsWithin(one, HEDGE_MS)) return await one;
      return await Promise.any([one, this.askOne(second, question, signal)]);
    } catch (error) {
      return this.settle(error instanceof AggregateError ? error.errors : [error]);
    } finally {
      clearTimeout(deadline);
      done.abort(NOT_NEEDED);
    }
  }

  /** @throws Elsewhere, UpstreamFault where the answer is not of the latest state */
  private async askOne(node: Upstream, question: Question, signal: AbortSignal): Promise<Answered> {
    const answered = await node.ask(question, signal);
    if (answered.refusal?.elsewhere) throw new Elsewhere(answered);
    if (question.height !== undefined) return answered;
    const { height = this.height } = answered;
    const isLate = height < this.height - MOST_BLOCKS_BEHIND;
    if (!isLate && timely(this.sane(), Date.now()).includes(node)) return answered;
    throw new UpstreamFault('nonsense', `the node answered for height ${height}, which is not the latest`);
  }

  /** When no node had an acceptable answer: what the state of one lacks is still an answer. */
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

  /** Nodes to ask, the best first: those that fail or are slow come after those that do not, else as they are configured. */
  private usable(height?: number): Upstream[] {
    const closed = this.sane().filter(({ circuit }) => !circuit.isOpen);
    const nodes = height === undefined ? timely(closed, Date.now()) : closed;
    return nodes.sort((a, b) => a.latency - b.latency);
  }

  /** Nodes of the chain that most of them report; where they are even, of the known one, or that of the first. */
  private sane(): Upstream[] {
    const votes = new Map<string, number>();
    for (const { chainId } of this.upstreams) if (chainId) votes.set(chainId, (votes.get(chainId) ?? 0) + 1);
    const expected = this.known?.chain_id;
    const weight = ([chainId, count]: [string, number]) => count + (chainId === expected ? 0.5 : 0);
    const [winner] = [...votes].sort((a, b) => weight(b) - weight(a))[0] ?? [];
    return this.upstreams.filter(({ chainId }) => chainId === undefined || chainId === winner);
  }
}

/** The state asked for is not at this node, perhaps at another. */
class Elsewhere extends Error {
  constructor(readonly answered: Answered) {
    super(answered.refusal?.detail);
  }
}

/** Whether a promise is fulfilled within the time; a rejection ends the wait. */
async function succeedsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const outcomes = [
    promise.then(
      () => true,
      () => false,
    ),
    wait(ms, false, { signal: over.signal }).catch(() => false),
  ];
  try {
    return await Promise.race(outcomes);
  } finally {
    over.abort();
  }
}
