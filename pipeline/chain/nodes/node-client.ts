/**
 * Client of one CometBFT 0.38 RPC. Sends JSON-RPC batches of several heights; if the node refuses batches, single URI
 * requests. node-pool.ts does the retries.
 */
import { elementSlices, memberSlices } from '../../base/json/exact-json.js';
import { askNode, ByteAllowance, type NodeReply, retryAfter } from './ask-node.js';

export class NodeFailure extends Error {
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
export type Absence = 'beyond' | 'far beyond' | 'pruned' | 'results' | 'hole';

export type NodeAnswer = { readonly record: string } | { readonly missing: string; readonly absence: Absence };

export interface NodeStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  readonly latestTime: number;
  readonly catchingUp: boolean;
}

export interface Asking {
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
/** Nodes behind one address differ by up to three blocks. */
const NEAR_BLOCKS = 10;
/** Shortest plausible mean block time. A status with EXTRA_BLOCKS more is still accepted, for short recordings. */
const BLOCK_MS_MIN = 100;
const EXTRA_BLOCKS = 10_000;
const STATUS_MIB = 1;
const ANSWER_MIB = 64;
/** HTTP statuses by which servers and proxies refuse a POST, or a body of this size. */
const REFUSALS = [400, 403, 404, 405, 413, 415, 422, 501];

export class NodeClient {
  /** Host and port for messages. Leaves out the path, which may contain an API key. */
  readonly name: string;
  private readonly base: string;
  private readonly headers: Record<string, string> = {};
  private batches = true;
  private slowest = 0;

  /** @param timeoutMs bounds of a request's timeout: five times the slowest answer so far, doubled with each attempt */
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

  /** Accepts status 500 with a body, because CometBFT reports method errors so. */
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

/**
 * Rejects a status with more blocks than fit between its first and last block time.
 * @throws NodeFailure
 */
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

/** Returns true if the answer to a batch is one error that refuses batches. Code -32603 is an internal error. */
function isRefusal({ error }: RpcAnswer): boolean {
  return error !== undefined && error.code !== -32603;
}

function join(height: number, block: RpcAnswer, results: RpcAnswer): NodeAnswer {
  const hasBlock = block.result !== undefined && slice(block.result, memberSlices).get('block') !== 'null';
  if (block.result !== undefined && !hasBlock) return { missing: '"block": null', absence: 'hole' };
  for (const { error, result } of [block, results]) {
    const [absence] = ABSENCES.find(([, pattern]) => error && pattern.test(error.text)) ?? [];
    // Without the block, missing results say nothing about pruning. A new block has no results for a moment.
    if (absence === 'results' && !hasBlock) return { missing: error!.text, absence: 'hole' };
    const isFar = absence === 'beyond' && Number(CURRENT_HEIGHT.exec(error!.text)?.[1]) < height - NEAR_BLOCKS;
    if (absence) return { missing: error!.text, absence: isFar ? 'far beyond' : absence };
    if (error) throw new NodeFailure(error.text);
    if (result === undefined) throw new NodeFailure('an answer without a result');
  }
  return { record: `{"height":${height},"block":${block.result},"block_results":${results.result}}` };
}
