/**
 * Queries the search indexes of nodes (CometBFT 0.38 RPC, tx_search and block_search) for the heights at which an event
 * occurred. Indexes of live nodes have gaps, so all nodes are queried and their results are combined. Also downloads
 * the genesis.
 */
import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ConfigError } from '../../base/config-error.js';
import { isRecord } from '../../base/json/exact-json.js';
import { retryAfter } from '../../base/retry-after.js';
import { askNode, ByteAllowance } from './ask-node.js';

export interface Search {
  readonly method: 'tx_search' | 'block_search';
  /** Conditions on events, without limits on the height. */
  readonly query: string;
}

export interface Found {
  readonly heights: readonly number[];
  /** Number of found blocks that no node returns, because all nodes have pruned them. */
  readonly pruned: number;
  /** True if the search ended early because there were too many heights. */
  readonly isCut: boolean;
  /** Ids of the nodes that answered. */
  readonly nodes: readonly string[];
}

export interface SearchClientOptions {
  readonly signal: AbortSignal;
  readonly say: (text: string, facts?: Record<string, unknown>) => void;
}

const PER_PAGE = 100;
/** Number of parallel requests per node. Public nodes limit the rate, not this number. */
const AT_ONCE = 4;
const TIMEOUT_MS = 60_000;
const PAGE_MIB = 256;
const ROUNDS = 6;
const PAUSE_MS = 200;
const PAUSE_MAX_MS = 5_000;
const RATE_LIMIT_MAX_MS = 600_000;
/** A node that hangs needs TIMEOUT_MS for each failure, so the time is limited, too. */
const PATIENCE_MS = 120_000;
const DIFFERENCES_SHOWN = 5;

const NO_INDEX = /indexing is disabled/i;

class NoIndex extends Error {}

interface Page {
  readonly heights: readonly number[];
  readonly items: number;
  readonly total: number;
}

interface SearchedNode {
  /** Hash of the URL, because the URL may contain an API key. */
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly limit: ReturnType<typeof pLimit>;
  hasIndex: boolean;
  /** Why the node gets no further requests in this run. */
  failure?: string;
}

interface SearchRange {
  readonly from: number;
  readonly to: number;
  readonly most: number;
}

export class SearchClient {
  private readonly nodes: readonly SearchedNode[];
  private readonly differing = new Map<string, Set<number>>();

  constructor(
    urls: readonly string[],
    private readonly options: SearchClientOptions,
  ) {
    setMaxListeners(0, options.signal);
    this.nodes = urls.map((url) => {
      const id = hash('sha256', url).slice(0, 16);
      return { id, url, name: new URL(url).host, limit: pLimit(AT_ONCE), hasIndex: true };
    });
  }

  get nodeIds(): readonly string[] {
    return this.nodes.map(({ id }) => id);
  }

  /**
   * Returns the found heights from `from` to `to`, ascending.
   * @param most number of heights after which the search ends
   * @throws ConfigError if no node has a search index, or if no node responds
   */
  async heights(search: Search, from: number, to: number, most = Number.POSITIVE_INFINITY): Promise<Found> {
    const { found, failures } = await this.search(this.nodes, search, { from, to, most });
    if (found.nodes.length === 0) {
      if (failures.length > 0) throw new ConfigError(`no node answers searches: ${failures.join('; ')}`);
      throw new ConfigError(
        'no node of HUBLEDGER_RPC_URLS has a search index (its status says tx_index "off"): name one that has',
      );
    }
    return found;
  }

  /** Searches only the nodes with these ids. The result is empty if none of them answers. */
  async heightsOfNodes(ids: readonly string[], search: Search, from: number, to: number, most: number): Promise<Found> {
    const nodes = this.nodes.filter(({ id }) => ids.includes(id));
    return (await this.search(nodes, search, { from, to, most })).found;
  }

  private async search(
    nodes: readonly SearchedNode[],
    search: Search,
    range: SearchRange,
  ): Promise<{ found: Found; failures: string[] }> {
    const answers = await Promise.allSettled(nodes.map((node) => this.searchNode(node, search, range)));
    this.options.signal.throwIfAborted();
    const found = answers.flatMap((answer, i) =>
      answer.status === 'fulfilled' && answer.value ? [{ ...answer.value, node: nodes[i]! }] : [],
    );
    const failures = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [(answer.reason as Error).message] : [],
    );
    const united = new Set(found.flatMap(({ heights }) => [...heights]));
    for (const { heights, node, isCut } of found) if (!isCut) this.noteDifference(node.name, united, heights);
    return {
      found: {
        heights: [...united].sort((a, b) => a - b),
        pruned: Math.min(...found.map(({ pruned }) => pruned)),
        isCut: found.some(({ isCut }) => isCut),
        nodes: found.map(({ node }) => node.id),
      },
      failures,
    };
  }

  /** Logs the heights that are missing in the index of a node, and the nodes that stopped answering. */
  tellDifferences(): void {
    for (const { name, failure } of this.nodes) {
      if (failure !== undefined) {
        this.options.say(`a node no longer answers searches, so the next run searches it: ${failure}`, { node: name });
      }
    }
    for (const [name, heights] of this.differing) {
      const lacking = [...heights].sort((a, b) => a - b);
      const shown = lacking.slice(0, DIFFERENCES_SHOWN).join(', ');
      const more = lacking.length > DIFFERENCES_SHOWN ? ` and ${lacking.length - DIFFERENCES_SHOWN} more` : '';
      this.options.say(`the search index of ${name} lacks heights that another node has: ${shown}${more}`, {
        node: name,
        heights: lacking,
      });
    }
    this.differing.clear();
  }

  private noteDifference(name: string, united: ReadonlySet<number>, heights: ReadonlySet<number>): void {
    for (const height of united) {
      if (heights.has(height)) continue;
      const lacking = this.differing.get(name) ?? new Set();
      this.differing.set(name, lacking.add(height));
    }
  }

  private async searchNode(
    node: SearchedNode,
    search: Search,
    { from, to, most }: SearchRange,
  ): Promise<{ heights: Set<number>; pruned: number; isCut: boolean } | undefined> {
    if (!node.hasIndex) return undefined;
    const bound = search.method === 'tx_search' ? 'tx.height' : 'block.height';
    const query = `${search.query} AND ${bound}>=${from} AND ${bound}<=${to}`;
    const heights = new Set<number>();
    let items = 0;
    try {
      for (let page = 1; ; page++) {
        const answer = await node.limit(() =>
          this.ask(node, pathOf(search.method, query, page), (text) => readPage(text, search.method)),
        );
        for (const height of answer.heights) if (height >= from && height <= to) heights.add(height);
        items += answer.items;
        const isLast = page * PER_PAGE >= answer.total;
        if (isLast) return { heights, pruned: answer.total - items, isCut: false };
        if (heights.size > most) return { heights, pruned: 0, isCut: true };
      }
    } catch (error) {
      if (!(error instanceof NoIndex)) throw error;
      if (node.hasIndex) this.options.say(`${node.name} has no search index (tx_index is off): it is not searched`);
      node.hasIndex = false;
      return undefined;
    }
  }

  /**
   * Yields the genesis file in chunks, from the first node that has it.
   * @throws Error if no node has it, or if a node fails in the middle
   */
  async *genesis(): AsyncGenerator<Uint8Array> {
    const chunk = (node: SearchedNode, number: number) =>
      this.ask(node, `genesis_chunked?chunk=${number}`, (text) => {
        const { total, data } = resultOf(text);
        return { total: Number(total), bytes: Buffer.from(String(data), 'base64') };
      });
    const failures: string[] = [];
    for (const node of this.nodes) {
      let first: { readonly total: number; readonly bytes: Uint8Array };
      try {
        first = await chunk(node, 0);
      } catch (error) {
        this.options.signal.throwIfAborted();
        failures.push((error as Error).message);
        continue;
      }
      yield first.bytes;
      for (let number = 1; number < first.total; number++) yield (await chunk(node, number)).bytes;
      return;
    }
    throw new Error(`no node has the genesis: ${failures.join('; ')}`);
  }

  private async ask<Answer>(node: SearchedNode, path: string, read: (text: string) => Answer): Promise<Answer> {
    const { signal } = this.options;
    let [failures, limited] = [0, 0];
    const began = performance.now();
    for (;;) {
      signal.throwIfAborted();
      if (node.failure !== undefined) throw new Error(node.failure);
      let [pause, reason] = [0, ''];
      try {
        const { status, headers, text } = await askNode(`${node.url}/${path}`, {
          timeoutMs: TIMEOUT_MS,
          allowance: new ByteAllowance(PAGE_MIB),
          signal,
        });
        if (status === 200) return read(text);
        if (NO_INDEX.test(text)) throw new NoIndex();
        if (status === 429) pause = Math.max(retryAfter(headers.get('retry-after')), PAUSE_MS);
        reason = `${node.name} answers ${status}: ${errorOf(text)}`;
      } catch (error) {
        if (error instanceof NoIndex) throw error;
        reason = `${node.name}: ${(error as Error).message}`;
      }
      limited += pause;
      if (pause === 0) pause = Math.min(PAUSE_MS * 2 ** failures++, PAUSE_MAX_MS);
      const isHanging = performance.now() - began - limited > PATIENCE_MS;
      if (failures === ROUNDS || isHanging || limited > RATE_LIMIT_MAX_MS) {
        node.failure ??= reason;
        throw new Error(reason);
      }
      await sleep(pause, undefined, { signal });
    }
  }
}

function pathOf(method: Search['method'], query: string, page: number): string {
  return `${method}?query=${encodeURIComponent(`"${query}"`)}&page=${page}&per_page=${PER_PAGE}&order_by="asc"`;
}

function errorOf(text: string): string {
  try {
    const { error } = JSON.parse(text);
    return String(error.data ?? error.message).slice(0, 200);
  } catch {
    return text.slice(0, 100).replace(/\s+/g, ' ');
  }
}

function resultOf(text: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(text);
  const result = isRecord(answer) ? answer.result : undefined;
  if (isRecord(result)) return result;
  const reason = errorOf(text);
  throw NO_INDEX.test(reason) ? new NoIndex() : new Error(reason);
}

function readPage(text: string, method: Search['method']): Page {
  const result = resultOf(text);
  const list = (method === 'tx_search' ? result.txs : result.blocks) ?? [];
  const total = Number(result.total_count);
  if (!Array.isArray(list) || !Number.isSafeInteger(total) || total < 0) throw new Error('it answers without a count');
  const heights = list.map((item) => Number(method === 'tx_search' ? item?.height : item?.block?.header?.height));
  if (!heights.every((height) => Number.isSafeInteger(height) && height > 0)) {
    throw new Error('it answers with something other than heights');
  }
  return { heights, items: list.length, total };
}
