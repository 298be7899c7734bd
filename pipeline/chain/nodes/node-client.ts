/**
 * One CometBFT 0.38 node over its RPC: several heights in a JSON-RPC batch, or URI requests where batches are refused.
 * Retrying is not its business: see node-pool.ts.
 */
import { elementSlices, memberSlices } from '../../json/json-slices.js';
import { askNode, ByteAllowance, type NodeReply, retryAfter } from './ask-node.js';

/** The node could not say: worth asking again, or asking another. */
export class NodeFailure extends Error {
  /** @param retryAfter milliseconds that a node which limits its callers asked to wait; undefined for another failure */
  constructor(
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/**
 * Why a node has no record of a height: it lies beyond its newest block, far beyond it or before its first one, its results are not there
 * (yet), or there is a hole in what the node keeps.
 */
export type Absence = 'beyond' | 'far beyond' | 'pruned' | 'results' | 'hole';

/** A node's answer about a height: the record, or in its own words why it has none. */
export type NodeAnswer = { readonly record: string } | { readonly missing: string; readonly absence: Absence };

export interface NodeStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  /** Time of the latest block in milliseconds since the epoch; NaN when the node does not say it. */
  readonly latestTime: number;
  readonly catchingUp: boolean;
}

/** The circumstances of a request. */
export interface Asking {
  /** Counts from 1 how often the same has been asked, this time included. */
  readonly round: number;
  readonly signal?: AbortSignal;
  /** Memory for the answers. */
  readonly allowance?: ByteAllowance;
}

/** A JSON-RPC answer: exactly one of the two. */
interface RpcAnswer {
  readonly result?: string | undefined;
  readonly error?: { readonly code: number; readonly text: string } | undefined;
}

/** The errors of nodes that do not have a height (rpc/core: blocks.go, env.go; state/errors.go). */
const ABSENCES: readonly [Absence, RegExp][] = [
  ['beyond', /must be less than or equal to/i],
  ['pruned', /is not available/i],
  ['results', /could not find (block|results)|not persisting/i],
];
/** Characters of a node's error that messages show. */
const WORDS_MAX = 500;
const HEIGHT = /^\d{1,15}$/;
const CURRENT_HEIGHT = /current blockchain height (\d+)/i;
/** Blocks that a node may lack and have soon: nodes behind one address are up to three apart. */
const NEAR_BLOCKS = 10;
/** Shortest mean time between blocks: consensus takes longer. Ten thousand more blocks are allowed for short recordings. */
const BLOCK_MS_MIN = 100;
const EXTRA_BLOCKS = 10_000;
/** MiB for a status, which has some kilobytes. */
const STATUS_MIB = 1;
/** MiB for the answers about a few heights, unless the caller says otherwise. */
const ANSWER_MIB = 64;
/** HTTP statuses under which servers and the proxies in front of them refuse a POST or its size. */
const REFUSALS = [400, 403, 404, 405, 413, 415, 422, 501];

export class NodeClient {
  /** Host and port: all that messages may show, since paths hold keys. */
  readonly name: string;
  private readonly base: string;
  private readonly headers: Record<string, string> = {};
  private batches = true;
  /** Milliseconds that the slowest answer took. */
  private slowest = 0;

  /**
   * @param timeoutMs milliseconds for one request with its whole answer: five times what the slowest took, at least `min`;
   * doubled with each time that it is asked again, at most `max`
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

  /** @throws NodeFailure */
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

  /**
   * Asks for heights and puts what the node says into `answers`.
   * @throws NodeFailure when it fails on the way; what was answered before stays in `answers`
   */
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

  /** Asks in one batch. @returns false when the node takes no batches; it is not tried again */
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

  /** Gives status and text; CometBFT answers errors of the method with 500 and a JSON body. */
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
      throw new NodeFailure(`HTTP 429, to be asked again in ${pause / 1000} s`, pause);
    }
    if (reply.status > 500) throw new NodeFailure(`HTTP ${reply.status}`);
    return reply;
  }
}

/** Requires that a node's blocks can have been made in their time. @throws NodeFailure */
function requireTimeFor({ earliest, latest, latestTime }: NodeStatus, earliestTime: number): void {
  const time = Math.min(latestTime, Date.now()) - earliestTime;
  // Without times there is nothing to compare; a clock that is behind the chain says nothing either.
  if (!(time > 0) || latest - earliest <= time / BLOCK_MS_MIN + EXTRA_BLOCKS) return;
  throw new NodeFailure(`it reports height ${latest}, more blocks than fit between its first and its last block time`);
}

/** Cuts or parses a part out of an answer. @throws NodeFailure when the answer is no JSON: half an answer, a proxy's page */
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
  const text = [message, data].filter(Boolean).join(': ') || `an error without words: ${error.slice(0, 100)}`;
  return { error: { code, text: text.slice(0, WORDS_MAX) } };
}

/** A single error in answer to a batch: refused, unless the node says that it failed inside (-32603). */
function isRefusal({ error }: RpcAnswer): boolean {
  return error !== undefined && error.code !== -32603;
}

/** The record that two answers make. @throws NodeFailure when they are of a node in trouble */
function join(height: number, block: RpcAnswer, results: RpcAnswer): NodeAnswer {
  const hasBlock = block.result !== undefined && slice(block.result, memberSlices).get('block') !== 'null';
  if (block.result !== undefined && !hasBlock) return { missing: '"block": null', absence: 'hole' };
  for (const { error, result } of [block, results]) {
    const [absence] = ABSENCES.find(([, pattern]) => error && pattern.test(error.text)) ?? [];
    // A block without results is what a node has for a moment after each block, or for good when it prunes results.
    if (absence === 'results' && !hasBlock) return { missing: error!.text, absence: 'hole' };
    const isFar = absence === 'beyond' && Number(CURRENT_HEIGHT.exec(error!.text)?.[1]) < height - NEAR_BLOCKS;
    if (absence) return { missing: error!.text, absence: isFar ? 'far beyond' : absence };
    if (error) throw new NodeFailure(error.text);
    if (result === undefined) throw new NodeFailure('an answer without a result');
  }
  return { record: `{"height":${height},"block":${block.result},"block_results":${results.result}}` };
}
