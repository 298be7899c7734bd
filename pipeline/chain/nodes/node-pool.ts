/**
 * Combines several nodes of a chain (CometBFT RPC) into a single source. The first healthy node gets requests before
 * the other nodes. An address may be a load balancer, whose nodes differ by a few blocks and have pruned different
 * heights.
 */

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { BlockError } from '../block-error.js';
import { type CrossCheck, isSampled } from '../cross-check.js';
import { ByteAllowance, NodeFailure } from './ask-node.js';
import type { ChainEndpoint, ChainRecord, ChainSource, ChainStatus, Heights } from './chain-source.js';
import type { NodeAddress } from './endpoint.js';
import type { Absence, BlockReply, NodeClient, RoundOf } from './node-client.js';
import { NodeGroup, type RetryLimits } from './node-group.js';

const HEIGHTS_PER_REQUEST = 5;
const GROUPS_AT_ONCE = 6;
/**
 * Number of groups of heights that are requested in advance. More groups would need more memory. With fewer, nodes
 * would be idle while one group is slow.
 */
const GROUPS_AHEAD = 2 * GROUPS_AT_ONCE;
/** Maximum response size of one node for a group of heights. Groups of busy days need one or two MiB. */
const GROUP_MIB = 8;
/** Maximum response size of one node for a single height. A height is requested alone if its group was too large. */
const HEIGHT_MIB = 64;

interface Inquiry {
  readonly heights: readonly number[];
  readonly replies: Map<number, BlockReply>;
  readonly givers: Map<number, NodeClient>;
  readonly seconds: Map<number, ChainRecord>;
  readonly complaints: Map<NodeClient, string>;
  readonly allowances: ReadonlyMap<NodeClient, ByteAllowance>;
}

/**
 * Why a missing height may still be found. `soon`: the node is only a few blocks behind. `elsewhere`: another node
 * behind the same address may have it.
 */
type Chance = 'soon' | 'elsewhere';

interface RoundOutcome {
  readonly isFinal: boolean;
  readonly hasFailed: boolean;
  readonly chance: Chance | undefined;
  readonly retryAfter: number;
}

const hasRecord = ({ replies }: Inquiry, height: number) => 'record' in (replies.get(height) ?? {});

const openHeights = (inquiry: Inquiry) => inquiry.heights.filter((height) => !hasRecord(inquiry, height));

function recordOf({ replies, givers, seconds, complaints }: Inquiry, height: number): ChainRecord {
  const reply = replies.get(height);
  if (reply && 'record' in reply) {
    return { height, record: reply.record, endpoint: givers.get(height), second: seconds.get(height) };
  }
  throw BlockError.nowhere(height, complaints.values());
}

export class NodePool implements ChainSource {
  private readonly group: NodeGroup;
  /** Nodes that have failed to respond to a cross-check. They get no further cross-checks. */
  private readonly silent = new Set<NodeClient>();

  constructor(
    addresses: readonly NodeAddress[],
    limits: Partial<RetryLimits> = {},
    private readonly crossCheck?: CrossCheck,
  ) {
    this.group = new NodeGroup(addresses, limits);
  }

  /** Returns the latest height of the current node, and the lowest first height of all nodes. */
  async status(asks = 1): Promise<ChainStatus> {
    let status = await this.group.askStatus();
    for (let ask = 1; ask < asks; ask++) {
      await sleep(this.group.pause(1));
      const { earliest, latest, latestTime } = await this.group.askStatus();
      const newest = latest > status.latest ? { latest, latestTime } : {};
      status = { ...status, ...newest, earliest: Math.min(earliest, status.earliest) };
    }
    return status;
  }

  records(from: number, to: number): AsyncGenerator<ChainRecord> {
    return this.recordsAt({ length: to - from + 1, at: (i) => from + i });
  }

  async *recordsAt(requested: Heights): AsyncGenerator<ChainRecord> {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const limit = pLimit(GROUPS_AT_ONCE);
    const ahead: Promise<Inquiry>[] = [];
    try {
      for (let next = 0; next < requested.length || ahead.length > 0; ) {
        while (next < requested.length && ahead.length < GROUPS_AHEAD) {
          const count = Math.min(HEIGHTS_PER_REQUEST, requested.length - next);
          const heights = Array.from({ length: count }, (_, i) => requested.at(next + i)!);
          const group = limit(() => this.askTwice(heights, GROUP_MIB, stop.signal));
          group.catch(() => {});
          ahead.push(group);
          next += count;
        }
        const group = await ahead.shift()!;
        for (const height of group.heights) {
          const isLarge = !hasRecord(group, height) && [...group.allowances.values()].some(({ isSpent }) => isSpent);
          yield recordOf(isLarge ? await this.askTwice([height], HEIGHT_MIB, stop.signal) : group, height);
        }
      }
    } finally {
      stop.abort();
      limit.clearQueue();
    }
  }

  async *blocksOnly(height: number): AsyncGenerator<string> {
    let hasFailed = true;
    for (let round = 1; hasFailed && round <= this.group.limits.startRounds; round++) {
      if (round > 1) await sleep(this.group.pause(round - 1));
      hasFailed = false;
      for (const node of this.group.inOrder()) {
        try {
          const { result } = await node.block(height, { round });
          if (result !== undefined) yield result;
        } catch (error) {
          if (!(error instanceof NodeFailure)) throw error;
          hasFailed = true;
          await sleep(Math.min(error.retryAfter, this.group.limits.pauseMaxMs));
        }
      }
    }
  }

  async *again(height: number, doubted: ChainEndpoint | undefined): AsyncGenerator<ChainRecord> {
    const node = this.group.nodes.find((one) => one === doubted);
    if (node) this.group.leave(node);
    for (const endpoint of [...this.group.awake().filter((one) => one !== node), ...(node ? [node] : [])]) {
      const reply = (await this.askOne(endpoint, [height], new ByteAllowance(HEIGHT_MIB))).get(height);
      if (reply && 'record' in reply) yield { height, record: reply.record, endpoint };
    }
  }

  async second(height: number, first: ChainEndpoint | undefined): Promise<ChainRecord | undefined> {
    return (await this.askOthers(first, [height], HEIGHT_MIB)).get(height);
  }

  private async askTwice(heights: readonly number[], mebibytes: number, signal: AbortSignal): Promise<Inquiry> {
    const inquiry = await this.ask(heights, mebibytes, signal);
    const { givers, seconds } = inquiry;
    const sampled = [...givers].filter(([height]) => this.crossCheck && isSampled(this.crossCheck, height));
    for (const first of new Set(sampled.map(([, giver]) => giver))) {
      const open = sampled.flatMap(([height, giver]) => (giver === first ? [height] : []));
      for (const [height, second] of await this.askOthers(first, open, mebibytes, signal)) seconds.set(height, second);
    }
    return inquiry;
  }

  private async askOthers(
    first: ChainEndpoint | undefined,
    heights: readonly number[],
    mebibytes: number,
    signal?: AbortSignal,
  ): Promise<Map<number, ChainRecord>> {
    const found = new Map<number, ChainRecord>();
    for (const endpoint of this.group.nodes) {
      const open = heights.filter((height) => !found.has(height));
      const isSilent = endpoint.endpoint.isSilent || this.silent.has(endpoint);
      if (endpoint === first || isSilent || open.length === 0) continue;
      const allowance = new ByteAllowance(mebibytes);
      const replies = await this.askOne(endpoint, open, allowance, signal);
      const isLarge = allowance.isSpent && mebibytes < HEIGHT_MIB;
      if (replies.size === 0 && !isLarge && !signal?.aborted) this.silent.add(endpoint);
      for (const [height, reply] of replies) {
        if ('record' in reply) found.set(height, { height, record: reply.record, endpoint });
      }
    }
    return found;
  }

  private async askOne(
    node: NodeClient,
    heights: readonly number[],
    allowance: ByteAllowance,
    signal = AbortSignal.timeout(this.group.limits.patienceMs),
  ): Promise<Map<number, BlockReply>> {
    const replies = new Map<number, BlockReply>();
    const { startRounds, promiseMaxMs, pauseMaxMs } = this.group.limits;
    let [failures, waited] = [0, 0];
    while (failures < startRounds && waited <= promiseMaxMs && !signal.aborted) {
      let pause = pauseMaxMs;
      try {
        const asking = { round: failures + 1, signal, allowance };
        await this.group.meetNew(node, asking);
        const open = heights.filter((height) => !('record' in (replies.get(height) ?? {})));
        await node.read(open, replies, asking);
        if (!open.some((height) => this.isSoon(height, replies.get(height)))) break;
        waited += pause;
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        if (allowance.isSpent) break;
        pause = this.group.pause(++failures) + Math.min(error.retryAfter, pauseMaxMs);
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
    return replies;
  }

  private isSoon(height: number, reply: BlockReply | undefined): boolean {
    if (!reply || 'record' in reply) return false;
    return reply.absence === 'results' || this.chanceOf(height, reply.absence) === 'soon';
  }

  /**
   * Requests heights from all nodes in rounds. Ends when each height has a record, no node can have the missing
   * heights, or a limit is reached. A round counts towards the limit only if no record arrived and no missing height
   * may soon be available.
   */
  private async ask(heights: readonly number[], mebibytes: number, signal: AbortSignal): Promise<Inquiry> {
    const allowances = new Map(this.group.nodes.map((node) => [node, new ByteAllowance(mebibytes)]));
    const inquiry: Inquiry = {
      heights,
      replies: new Map(),
      givers: new Map(),
      seconds: new Map(),
      complaints: new Map(),
      allowances,
    };
    const spent = { rounds: 0, promises: 0, farAsks: 0, limited: 0, waited: 0 };
    let since = performance.now(); // time of the last new record; excludes pauses that nodes requested
    while (spent.rounds < this.group.limits.rounds) {
      const before = openHeights(inquiry).length;
      const { isFinal, hasFailed, chance, retryAfter } = await this.goRound(inquiry, {
        round: spent.rounds + 1,
        signal,
      });
      const open = openHeights(inquiry).length;
      if (open === 0 || isFinal) break;
      let pause = this.group.pause(1);
      if (open < before) since = performance.now();
      else if (retryAfter > 0) spent.limited += retryAfter + pause;
      else if (chance === 'elsewhere' && !hasFailed) spent.farAsks++;
      else {
        pause = this.group.pause(chance === 'soon' ? ++spent.promises : ++spent.rounds);
        if (chance === 'soon') spent.waited += pause;
      }
      since += retryAfter;
      const { rateLimitMaxMs, promiseMaxMs, farAsks, patienceMs } = this.group.limits;
      if (spent.limited > rateLimitMaxMs || spent.waited > promiseMaxMs || spent.farAsks > farAsks) break;
      if (performance.now() - since > patienceMs * this.group.nodes.length) break;
      await sleep(retryAfter + pause, undefined, { signal });
    }
    return inquiry;
  }

  private async goRound(inquiry: Inquiry, asking: RoundOf & { readonly signal: AbortSignal }): Promise<RoundOutcome> {
    const { replies, givers, complaints, allowances } = inquiry;
    const outcome = { isFinal: true, hasFailed: false, chance: undefined as Chance | undefined, retryAfter: 0 };
    for (const node of this.group.inOrder()) {
      const allowance = allowances.get(node)!;
      const open = openHeights(inquiry);
      if (allowance.isSpent) continue;
      try {
        await this.group.meetNew(node, asking);
        await node.read(open, replies, { ...asking, allowance }).finally(() => {
          for (const height of open) if (hasRecord(inquiry, height)) givers.set(height, node);
        });
        for (const height of openHeights(inquiry)) {
          const { missing, absence } = replies.get(height) as Extract<BlockReply, { missing: string }>;
          complaints.set(node, `${node.name} answers ${missing}`);
          if (outcome.chance !== 'soon') outcome.chance = this.chanceOf(height, absence) ?? outcome.chance;
          if (outcome.chance || absence === 'results') outcome.isFinal = false;
        }
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        asking.signal.throwIfAborted();
        complaints.set(node, `${node.name} fails: ${error.message}`);
        if (!allowance.isSpent) outcome.hasFailed = true;
        outcome.retryAfter = Math.max(outcome.retryAfter, error.retryAfter);
        this.group.leave(node);
      }
      if (openHeights(inquiry).length === 0) break;
    }
    if (outcome.hasFailed) outcome.isFinal = false;
    return outcome;
  }

  private chanceOf(height: number, absence: Absence): Chance | undefined {
    const { earliest, latest } = this.group.promised;
    if (absence === 'beyond' && height <= latest) return 'soon';
    const isElsewhere = absence === 'far beyond' ? height <= latest : absence === 'pruned' && height >= earliest;
    return isElsewhere ? 'elsewhere' : undefined;
  }
}
