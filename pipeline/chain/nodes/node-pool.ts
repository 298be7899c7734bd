/**
 * Combines several nodes of a chain (CometBFT 0.38 RPC) into a single source. The first healthy node gets requests
 * before the other nodes. An address may be a load balancer, whose nodes differ by a few blocks and have pruned
 * different heights. Several heights are requested as one JSON-RPC batch. If a node refuses batches, each height is
 * requested alone.
 */

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ConfigError } from '../../base/config-error.js';
import { elementSlices, memberSlices } from '../../base/json/exact-json.js';
import { retryAfter } from '../../base/retry-after.js';
import { BlockError } from '../block-error.js';
import { type CrossCheck, isSampled } from '../cross-check.js';
import { askNode, ByteAllowance, type NodeReply } from './ask-node.js';
import type { ChainEndpoint, ChainRecord, ChainSource, ChainStatus, Heights } from './chain-source.js';

class NodeFailure extends Error {
  constructor(
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/**
 * Why a node has no record of a height. `beyond`: above its newest block. `far beyond`: more than NEAR_BLOCKS above it.
 * `pruned`: below its first block. `results`: it has the block but no results. `hole`: it lacks the block.
 */
type Absence = 'beyond' | 'far beyond' | 'pruned' | 'results' | 'hole';

type NodeAnswer = { readonly record: string } | { readonly missing: string; readonly absence: Absence };

interface NodeStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  readonly latestTime: number;
  readonly catchingUp: boolean;
}

interface Asking {
  readonly round: number;
  readonly signal?: AbortSignal;
  readonly allowance?: ByteAllowance;
}

interface RpcAnswer {
  readonly result?: string | undefined;
  readonly error?: { readonly code: number; readonly text: string } | undefined;
}

/** Error texts for missing heights (CometBFT rpc/core: blocks.go, env.go; state/errors.go). */
const ABSENCES: readonly [Absence, RegExp][] = [
  ['beyond', /must be less than or equal to/i],
  ['pruned', /is not available/i],
  ['results', /could not find (block|results)|not persisting/i],
];
const WORDS_MAX = 500;
const HEIGHT = /^\d{1,15}$/;
const CURRENT_HEIGHT = /current blockchain height (\d+)/i;
/**
 * A height at most this far above a node's newest block may soon be available, because nodes behind a load balancer
 * differ by a few blocks.
 */
const NEAR_BLOCKS = 10;
/**
 * Shortest plausible mean block time. A status may report up to EXTRA_BLOCKS more blocks than this allows, because a
 * recording may be short.
 */
const BLOCK_MS_MIN = 100;
const EXTRA_BLOCKS = 10_000;
const STATUS_MIB = 1;
const ANSWER_MIB = 64;
/** HTTP statuses with which servers and proxies refuse a POST or a large body. */
const REFUSALS = [400, 403, 404, 405, 413, 415, 422, 501];

class NodeClient {
  /** Host and port for messages, without the path, because it may contain an API key. */
  readonly name: string;
  private readonly base: string;
  private readonly headers: Record<string, string> = {};
  private batches = true;
  private slowest = 0;

  /**
   * @param timeoutMs minimum and maximum timeout of a request. The timeout is five times the slowest response so far,
   * and doubles with each attempt.
   */
  constructor(
    url: string,
    private readonly timeoutMs: { readonly min: number; readonly max: number },
  ) {
    const { host, username, password } = new URL(url);
    this.name = host;
    this.base = url.replace(/\/\/[^/@]*@/, '//').replace(/\/+$/, '');
    if (username) {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
  }

  async status(asking: Asking): Promise<NodeStatus> {
    const { result, error } = await this.get('status', { ...asking, allowance: new ByteAllowance(STATUS_MIB) });
    if (!result) throw new NodeFailure(error?.text ?? 'no status');
    const { node_info, sync_info } = slice(result, JSON.parse) ?? {};
    const { earliest_block_height: earliest, latest_block_height: latest } = sync_info ?? {};
    if (typeof node_info?.network !== 'string' || !HEIGHT.test(earliest) || !HEIGHT.test(latest)) {
      throw new NodeFailure('its status has no network or no heights');
    }
    const status = {
      chainId: node_info.network,
      earliest: Number(earliest),
      latest: Number(latest),
      latestTime: Date.parse(sync_info.latest_block_time),
      catchingUp: sync_info.catching_up === true,
    };
    requireTimeFor(status, Date.parse(sync_info.earliest_block_time));
    return status;
  }

  async read(heights: readonly number[], answers: Map<number, NodeAnswer>, asking: Asking): Promise<void> {
    if (this.batches && (await this.readBatch(heights, answers, asking))) return;
    for (const height of heights) {
      const query = `?height=${height}`;
      const [block, results] = await Promise.all([
        this.get(`block${query}`, asking),
        this.get(`block_results${query}`, asking),
      ]);
      answers.set(height, join(height, block, results));
    }
  }

  private async readBatch(
    heights: readonly number[],
    answers: Map<number, NodeAnswer>,
    asking: Asking,
  ): Promise<boolean> {
    const calls = heights.flatMap((height, i) =>
      ['block', 'block_results'].map((method, j) => ({
        jsonrpc: '2.0',
        id: 2 * i + j,
        method,
        params: { height: String(height) },
      })),
    );
    const { status, text } = await this.request('', asking, JSON.stringify(calls));
    if (REFUSALS.includes(status) || (text.trimStart().startsWith('{') && isRefusal(readAnswer(text)))) {
      this.batches = false;
      return false;
    }
    const byId = new Map(slice(text, elementSlices).map((answer) => [idOf(answer), readAnswer(answer)]));
    for (const [i, height] of heights.entries()) {
      const [block, results] = [byId.get(2 * i), byId.get(2 * i + 1)];
      if (!block || !results) throw new NodeFailure(`the batch has no answer for height ${height}`);
      answers.set(height, join(height, block, results));
    }
    return true;
  }

  private async get(path: string, asking: Asking): Promise<RpcAnswer> {
    const { status, text } = await this.request(`/${path}`, asking);
    if (REFUSALS.includes(status)) throw new NodeFailure(`HTTP ${status}`);
    return readAnswer(text);
  }

  /** Sends a request. Also accepts status 500 with a body, because CometBFT uses it for errors of methods. */
  private async request(path: string, asking: Asking, body?: string): Promise<NodeReply> {
    const { min, max } = this.timeoutMs;
    const timeoutMs = Math.min(Math.max(min, 5 * this.slowest) * 2 ** (asking.round - 1), max);
    const { signal, allowance = new ByteAllowance(ANSWER_MIB) } = asking;
    const asked = performance.now();
    const reply = await askNode(this.base + path, { headers: this.headers, body, timeoutMs, allowance, signal }).catch(
      ({ message }: Error) => {
        throw new NodeFailure(message);
      },
    );
    this.slowest = Math.max(this.slowest, Math.round(performance.now() - asked));
    if (reply.status === 429) {
      const pause = retryAfter(reply.headers.get('retry-after'));
      throw new NodeFailure(`HTTP 429, retry after ${pause / 1000} s`, pause);
    }
    if (reply.status > 500) throw new NodeFailure(`HTTP ${reply.status}`);
    return reply;
  }
}

/** Throws an error if a status reports too many blocks for the time between its first and its last block. */
function requireTimeFor({ earliest, latest, latestTime }: NodeStatus, earliestTime: number): void {
  const time = Math.min(latestTime, Date.now()) - earliestTime;
  if (!(time > 0) || latest - earliest <= time / BLOCK_MS_MIN + EXTRA_BLOCKS) return;
  throw new NodeFailure(`it reports height ${latest}, more blocks than fit between its first and its last block time`);
}

function slice<Slices>(text: string, cut: (text: string) => Slices): Slices {
  try {
    return cut(text);
  } catch (error) {
    throw new NodeFailure((error as Error).message);
  }
}

const idOf = (answer: string) => Number(slice(answer, memberSlices).get('id'));

function readAnswer(answer: string): RpcAnswer {
  const members = slice(answer, memberSlices);
  const error = members.get('error');
  if (error === undefined || error === 'null') return { result: members.get('result') };
  const { code, message, data } = slice(error, JSON.parse);
  const text = [message, data].filter(Boolean).join(': ') || `an error without a message: ${error.slice(0, 100)}`;
  return { error: { code, text: text.slice(0, WORDS_MAX) } };
}

/**
 * Returns true if a node refuses batches, that is, if it responds to a batch with a single error. The exception is code
 * -32603, an internal error.
 */
function isRefusal({ error }: RpcAnswer): boolean {
  return error !== undefined && error.code !== -32603;
}

function join(height: number, block: RpcAnswer, results: RpcAnswer): NodeAnswer {
  const hasBlock = block.result !== undefined && slice(block.result, memberSlices).get('block') !== 'null';
  if (block.result !== undefined && !hasBlock) return { missing: '"block": null', absence: 'hole' };
  for (const { error, result } of [block, results]) {
    const [absence] = ABSENCES.find(([, pattern]) => error && pattern.test(error.text)) ?? [];
    // A node that has the block may return its results later, or may have pruned them. A node without the block lacks
    // the whole height.
    if (absence === 'results' && !hasBlock) return { missing: error!.text, absence: 'hole' };
    const isFar = absence === 'beyond' && Number(CURRENT_HEIGHT.exec(error!.text)?.[1]) < height - NEAR_BLOCKS;
    if (absence) return { missing: error!.text, absence: isFar ? 'far beyond' : absence };
    if (error) throw new NodeFailure(error.text);
    if (result === undefined) throw new NodeFailure('an answer without a result');
  }
  return { record: `{"height":${height},"block":${block.result},"block_results":${results.result}}` };
}

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

/** By default, a node accepts ten calls per batch (max_request_batch_size), and each height needs two calls. */
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
  readonly answers: Map<number, NodeAnswer>;
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

const hasRecord = ({ answers }: Inquiry, height: number) => 'record' in (answers.get(height) ?? {});

const openHeights = (inquiry: Inquiry) => inquiry.heights.filter((height) => !hasRecord(inquiry, height));

function recordOf({ answers, givers, seconds, complaints }: Inquiry, height: number): ChainRecord {
  const answer = answers.get(height);
  if (answer && 'record' in answer) {
    return { height, record: answer.record, endpoint: givers.get(height), second: seconds.get(height) };
  }
  throw BlockError.nowhere(height, complaints.values());
}

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

export class NodePool implements ChainSource {
  private readonly nodes: readonly NodeClient[];
  private readonly limits: RetryLimits;
  private readonly known = new Map<NodeClient, string>();
  private readonly promised = { earliest: Number.POSITIVE_INFINITY, latest: 0 };
  /** Nodes that have failed to respond to a cross-check. They get no further cross-checks. */
  private readonly silent = new Set<NodeClient>();
  private current = 0;

  constructor(
    urls: readonly string[],
    limits: Partial<RetryLimits> = {},
    private readonly crossCheck?: CrossCheck,
  ) {
    this.limits = { ...RETRY_LIMITS, ...limits };
    this.nodes = urls.map((url) => new NodeClient(url, this.limits.timeoutMs));
  }

  /** Returns the latest height of the current node, and the lowest first height of all nodes. */
  async status(asks = 1): Promise<ChainStatus> {
    let status = await this.askStatus();
    for (let ask = 1; ask < asks; ask++) {
      await sleep(this.pause(1));
      const { earliest, latest, latestTime } = await this.askStatus();
      const newest = latest > status.latest ? { latest, latestTime } : {};
      status = { ...status, ...newest, earliest: Math.min(earliest, status.earliest) };
    }
    return status;
  }

  private async askStatus(): Promise<ChainStatus> {
    for (let round = 1; ; round++) {
      const answers = await Promise.allSettled(this.nodes.map((node) => this.meet(node, { round })));
      const wrong = answers.find((a) => a.status === 'rejected' && !(a.reason instanceof NodeFailure));
      if (wrong?.status === 'rejected') throw wrong.reason;
      const well = answers.flatMap((a, index) => (a.status === 'fulfilled' ? [{ index, ...a.value }] : []));
      const used = well.find(isCurrentAmong(well)) ?? well.find((node) => !node.catchingUp) ?? well[0];
      if (used) {
        this.current = used.index;
        const earliest = Math.min(...well.map((node) => node.earliest));
        const latestTime = Number.isNaN(used.latestTime) ? undefined : used.latestTime;
        return { chainId: used.chainId, earliest, latest: used.latest, latestTime };
      }
      if (round === this.limits.startRounds) throw new ConfigError(`no node answers: ${this.complaints(answers)}`);
      const waits = answers.map((a) => (a.status === 'rejected' && (a.reason as NodeFailure).retryAfter) || 0);
      await sleep(this.pause(round) + Math.min(...waits, this.limits.pauseMaxMs));
    }
  }

  records(from: number, to: number): AsyncGenerator<ChainRecord> {
    return this.recordsAt({ length: to - from + 1, at: (i) => from + i });
  }

  async *recordsAt(wanted: Heights): AsyncGenerator<ChainRecord> {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const limit = pLimit(GROUPS_AT_ONCE);
    const ahead: Promise<Inquiry>[] = [];
    try {
      for (let next = 0; next < wanted.length || ahead.length > 0; ) {
        while (next < wanted.length && ahead.length < GROUPS_AHEAD) {
          const count = Math.min(HEIGHTS_PER_REQUEST, wanted.length - next);
          const heights = Array.from({ length: count }, (_, i) => wanted.at(next + i)!);
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

  async *again(height: number, doubted: ChainEndpoint | undefined): AsyncGenerator<ChainRecord> {
    const node = this.nodes.find((one) => one === doubted);
    if (node) this.leave(node);
    for (const endpoint of [...this.nodes.filter((one) => one !== node), ...(node ? [node] : [])]) {
      const answer = (await this.askOne(endpoint, [height], new ByteAllowance(HEIGHT_MIB))).get(height);
      if (answer && 'record' in answer) yield { height, record: answer.record, endpoint };
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
    for (const endpoint of this.nodes) {
      const open = heights.filter((height) => !found.has(height));
      if (endpoint === first || this.silent.has(endpoint) || open.length === 0) continue;
      const allowance = new ByteAllowance(mebibytes);
      const answers = await this.askOne(endpoint, open, allowance, signal);
      const isLarge = allowance.isSpent && mebibytes < HEIGHT_MIB;
      if (answers.size === 0 && !isLarge && !signal?.aborted) this.silent.add(endpoint);
      for (const [height, answer] of answers) {
        if ('record' in answer) found.set(height, { height, record: answer.record, endpoint });
      }
    }
    return found;
  }

  private async askOne(
    node: NodeClient,
    heights: readonly number[],
    allowance: ByteAllowance,
    signal = AbortSignal.timeout(this.limits.patienceMs),
  ): Promise<Map<number, NodeAnswer>> {
    const answers = new Map<number, NodeAnswer>();
    const { startRounds, promiseMaxMs, pauseMaxMs } = this.limits;
    let [failures, waited] = [0, 0];
    while (failures < startRounds && waited <= promiseMaxMs && !signal.aborted) {
      let pause = pauseMaxMs;
      try {
        const asking = { round: failures + 1, signal, allowance };
        if (!this.known.has(node)) await this.meet(node, asking);
        const open = heights.filter((height) => !('record' in (answers.get(height) ?? {})));
        await node.read(open, answers, asking);
        if (!open.some((height) => this.isSoon(height, answers.get(height)))) break;
        waited += pause;
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        if (allowance.isSpent) break;
        pause = this.pause(++failures) + Math.min(error.retryAfter ?? 0, pauseMaxMs);
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
    return answers;
  }

  private isSoon(height: number, answer: NodeAnswer | undefined): boolean {
    if (!answer || 'record' in answer) return false;
    return answer.absence === 'results' || this.chanceOf(height, answer.absence) === 'soon';
  }

  /**
   * Requests heights from all nodes in rounds. Ends when each height has a record, no node can have the missing
   * heights, or a limit is reached. A round counts towards the limit only if no record arrived and no missing height
   * may soon be available.
   */
  private async ask(heights: readonly number[], mebibytes: number, signal: AbortSignal): Promise<Inquiry> {
    const allowances = new Map(this.nodes.map((node) => [node, new ByteAllowance(mebibytes)]));
    const inquiry: Inquiry = {
      heights,
      answers: new Map(),
      givers: new Map(),
      seconds: new Map(),
      complaints: new Map(),
      allowances,
    };
    const spent = { rounds: 0, promises: 0, farAsks: 0, limited: 0, waited: 0 };
    let since = performance.now(); // time of the last new record; excludes pauses that nodes requested
    while (spent.rounds < this.limits.rounds) {
      const before = openHeights(inquiry).length;
      const { isFinal, hasFailed, chance, retryAfter } = await this.goRound(inquiry, {
        round: spent.rounds + 1,
        signal,
      });
      const open = openHeights(inquiry).length;
      if (open === 0 || isFinal) break;
      let pause = this.pause(1);
      if (open < before) since = performance.now();
      else if (retryAfter > 0) spent.limited += retryAfter + pause;
      else if (chance === 'elsewhere' && !hasFailed) spent.farAsks++;
      else {
        pause = this.pause(chance === 'soon' ? ++spent.promises : ++spent.rounds);
        if (chance === 'soon') spent.waited += pause;
      }
      since += retryAfter;
      const { rateLimitMaxMs, promiseMaxMs, farAsks, patienceMs } = this.limits;
      if (spent.limited > rateLimitMaxMs || spent.waited > promiseMaxMs || spent.farAsks > farAsks) break;
      if (performance.now() - since > patienceMs * this.nodes.length) break;
      await sleep(retryAfter + pause, undefined, { signal });
    }
    return inquiry;
  }

  private async goRound(inquiry: Inquiry, asking: Asking & { readonly signal: AbortSignal }): Promise<RoundOutcome> {
    const { answers, givers, complaints, allowances } = inquiry;
    const outcome = { isFinal: true, hasFailed: false, chance: undefined as Chance | undefined, retryAfter: 0 };
    for (const node of this.inOrder()) {
      const allowance = allowances.get(node)!;
      const open = openHeights(inquiry);
      if (allowance.isSpent) continue;
      try {
        if (!this.known.has(node)) await this.meet(node, asking);
        await node.read(open, answers, { ...asking, allowance }).finally(() => {
          for (const height of open) if (hasRecord(inquiry, height)) givers.set(height, node);
        });
        for (const height of openHeights(inquiry)) {
          const { missing, absence } = answers.get(height) as Extract<NodeAnswer, { missing: string }>;
          complaints.set(node, `${node.name} answers ${missing}`);
          if (outcome.chance !== 'soon') outcome.chance = this.chanceOf(height, absence) ?? outcome.chance;
          if (outcome.chance || absence === 'results') outcome.isFinal = false;
        }
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        asking.signal.throwIfAborted();
        complaints.set(node, `${node.name} fails: ${error.message}`);
        if (!allowance.isSpent) outcome.hasFailed = true;
        outcome.retryAfter = Math.max(outcome.retryAfter, error.retryAfter ?? 0);
        this.leave(node);
      }
      if (openHeights(inquiry).length === 0) break;
    }
    if (outcome.hasFailed) outcome.isFinal = false;
    return outcome;
  }

  private chanceOf(height: number, absence: Absence): Chance | undefined {
    const { earliest, latest } = this.promised;
    if (absence === 'beyond' && height <= latest) return 'soon';
    const isElsewhere = absence === 'far beyond' ? height <= latest : absence === 'pruned' && height >= earliest;
    return isElsewhere ? 'elsewhere' : undefined;
  }

  private async meet(node: NodeClient, asking: Asking) {
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

  private inOrder(): NodeClient[] {
    return [...this.nodes.slice(this.current), ...this.nodes.slice(0, this.current)];
  }

  private leave(node: NodeClient): void {
    if (this.nodes[this.current] === node) this.current = (this.current + 1) % this.nodes.length;
  }

  private pause(round: number): number {
    const full = Math.min(this.limits.pauseMs * 2 ** (round - 1), this.limits.pauseMaxMs);
    return full * (0.5 + Math.random() / 2);
  }

  private complaints(answers: readonly PromiseSettledResult<unknown>[]): string {
    return answers
      .map((a, i) => `${this.nodes[i]!.name} (${a.status === 'rejected' ? (a.reason as Error).message : ''})`)
      .join(', ');
  }
}
