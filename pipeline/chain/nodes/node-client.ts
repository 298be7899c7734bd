/**
 * One CometBFT 0.38 node over its RPC: several heights in a JSON-RPC batch, or URI requests where batches are refused.
 * Retrying is not its business: see node-pool.ts.
 */
import { elementSlices, memberSlices } from '../../json/json-slices.js';
import { boundedText, TooLarge } from './bounded-text.js';
import { retryAfter } from './retry-after.js';

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
 * Why a node has no record of a height: it lies beyond its newest block or before its first one, its results are not there (yet), or
 * there is a hole in what the node keeps.
 */
export type Absence = 'beyond' | 'pruned' | 'results' | 'hole';

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
const HEIGHT = /^\d{1,15}$/;
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
    const { result, error } = await this.get('status', asking);
    if (!result) throw new NodeFailure(error?.text ?? 'no status');
    const { node_info, sync_info } = slice(result, JSON.parse) ?? {};
    const { earliest_block_height: earliest, latest_block_height: latest } = sync_info ?? {};
    if (typeof node_info?.network !== 'string' || !HEIGHT.test(earliest) || !HEIGHT.test(latest)) {
      throw new NodeFailure('its status has no network or no heights');
    }
    return {
      chainId: node_info.network,
      earliest: Number(earliest),
      latest: Number(latest),
      latestTime: Date.parse(sync_info.latest_block_time),
      catchingUp: sync_info.catching_up === true,
    };
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
  private async request(path: string, asking: Asking, body?: string): Promise<{ status: number; text: string }> {
    const { min, max } = this.timeoutMs;
    const limit = Math.min(Math.max(min, 5 * this.slowest) * 2 ** (asking.round - 1), max);
    const deadline = startDeadline(limit, asking.signal);
    const asked = performance.now();
    try {
      const response = await fetch(this.base + path, {
        signal: deadline.signal,
        headers: { ...this.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { method: 'POST', body } : {}),
      });
      const text = await boundedText(response);
      this.slowest = Math.max(this.slowest, Math.round(performance.now() - asked));
      if (response.status === 429) {
        const pause = retryAfter(response.headers.get('retry-after'));
        throw new NodeFailure(`HTTP 429, to be asked again in ${pause / 1000} s`, pause);
      }
      if (response.status > 500) throw new NodeFailure(`HTTP ${response.status}`);
      return { status: response.status, text };
    } catch (error) {
      if (error instanceof NodeFailure) throw error;
      if (error instanceof TooLarge) this.batches = false; // one height may be small enough
      if (deadline.passed()) throw new NodeFailure(`no answer within ${limit} ms`);
      const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
      throw new NodeFailure(cause?.code ?? cause?.message ?? message);
    } finally {
      deadline.clear();
    }
  }
}

/** A signal that aborts after some milliseconds or with another signal. Cleared, it leaves nothing behind on the other. */
function startDeadline(milliseconds: number, other?: AbortSignal) {
  const controller = new AbortController();
  let passed = false;
  const abort = () => controller.abort();
  const timer = setTimeout(() => {
    passed = true;
    abort();
  }, milliseconds);
  if (other?.aborted) abort();
  other?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    passed: () => passed,
    clear() {
      clearTimeout(timer);
      other?.removeEventListener('abort', abort);
    },
  };
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
  return { error: { code, text } };
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
    if (absence) return { missing: error!.text, absence: absence === 'results' && !hasBlock ? 'hole' : absence };
    if (error) throw new NodeFailure(error.text);
    if (result === undefined) throw new NodeFailure('an answer without a result');
  }
  return { record: `{"height":${height},"block":${block.result},"block_results":${results.result}}` };
}
