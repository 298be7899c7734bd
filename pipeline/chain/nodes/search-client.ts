/**
 * Queries the search indexes of nodes (CometBFT RPC, tx_search and block_search) for the heights at which an event
 * occurred. Indexes of live nodes have gaps, so all nodes are queried and their results are combined. Also downloads
 * the genesis.
 *
 * A node searches everything again for each page, and gateways change counts and sizes of pages. So only first pages
 * are requested: the next request begins after the last height of the previous page, until a page is empty.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ConfigError } from '../../base/config-error.js';
import { isRecord } from '../../base/json/exact-json.js';
import { ByteAllowance, NodeFailure } from './ask-node.js';
import { type CallParameters, type Endpoint, endpointsOf, type NodeAddress, slice } from './endpoint.js';

export interface Search {
  readonly method: 'tx_search' | 'block_search';
  /** Conditions on events, without limits on the height. */
  readonly query: string;
  /** Returns how many of a number of blocks can match. A node that finds more is not used. */
  readonly possible?: (blocks: number) => number;
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

/** How far the indexes of the nodes reach. */
export interface Reach {
  /** Highest block that an index contains. Undefined if no node shows it. */
  readonly until: number | undefined;
  readonly nodes: readonly { readonly id: string; readonly name: string; readonly until: number | undefined }[];
}

export interface SearchClientOptions {
  readonly signal: AbortSignal;
  readonly say: (text: string, facts?: Record<string, unknown>) => void;
}

const PER_PAGE = 100;
/** Number of parallel requests per node. Public nodes limit the rate, not this number. */
const AT_ONCE = 4;
/** CometBFT cuts the connection after about 11 seconds. */
const TIMEOUT_MS = 15_000;
const PAGE_MIB = 256;
const ROUNDS = 6;
const PAUSE_MS = 200;
const PAUSE_MAX_MS = 5_000;
const RATE_LIMIT_MAX_MS = 600_000;
/** Maximum time and number of pages of one search of a node. */
const SEARCH_MAX_MS = 300_000;
const PAGES_MAX = 1_000;
/** After a range was too slow, a range of this part is tried. */
const NARROWED = 4;
/** After this many slow answers in a row, a node no longer counts as searchable. */
const SLOW_MAX = 6;
/** After this many answers 403 in a row and no other answer to a search, searches count as forbidden. */
const DENIED_MAX = 4;
/** Requests for a page that lacks counted blocks, because another node behind a load balancer may have them. */
const SHORT_ROUNDS = 8;
/** Requests for the newest block, because an index is written after the block. */
const REACH_ROUNDS = 5;
const GENESIS_CHUNKS_MAX = 10_000;
const GENESIS_MAX_MS = 600_000;
const STATUS_ASKS = 5;
const DIFFERENCES_SHOWN = 5;

const NO_INDEX = /indexing is disabled/i;
const NO_SEARCH = /search method is not supported/i;

class NoIndex extends Error {}

interface Page {
  /** Heights from `from` to `to` of the request, ascending. */
  readonly heights: readonly number[];
  readonly items: number;
  /** Undefined if the node does not count matches. */
  readonly total: number | undefined;
}

interface SearchedNode {
  readonly endpoint: Endpoint;
  readonly limit: ReturnType<typeof pLimit>;
  hasIndex: boolean;
  /** Why the node gets no further requests in this run. */
  failure?: string;
  hasAnswered: boolean;
  /** True if a count was larger than its page. The node's counts are then counts of all matches. */
  countsAll: boolean;
  denied: number;
  slow: number;
  /** Maximum number of blocks of a search. It shrinks when the node is too slow, and grows after `patience` successes. */
  window: number;
  patience: number;
  successes: number;
  earliest?: Promise<number>;
  readonly heightOf: Map<string, number>;
}

interface SearchRange {
  readonly from: number;
  readonly to: number;
  readonly most: number;
}

interface NodeFound {
  readonly heights: Set<number>;
  pruned: number;
  isCut: boolean;
  pages: number;
  readonly deadline: number;
}

export class SearchClient {
  private readonly nodes: readonly SearchedNode[];
  private readonly differing = new Map<string, Set<number>>();

  constructor(
    addresses: readonly NodeAddress[],
    private readonly options: SearchClientOptions,
  ) {
    setMaxListeners(0, options.signal);
    this.nodes = endpointsOf(addresses).map((endpoint) => ({
      endpoint,
      limit: pLimit(AT_ONCE),
      hasIndex: true,
      hasAnswered: false,
      countsAll: false,
      denied: 0,
      slow: 0,
      window: Number.POSITIVE_INFINITY,
      patience: 1,
      successes: 0,
      heightOf: new Map(),
    }));
  }

  get nodeIds(): readonly string[] {
    return this.nodes.map(({ endpoint }) => endpoint.id);
  }

  /** Names of the nodes with these ids. */
  namesOf(ids: readonly string[]): string[] {
    return this.nodes.flatMap(({ endpoint }) => (ids.includes(endpoint.id) ? [endpoint.name] : []));
  }

  /**
   * Returns the found heights from `from` to `to`, ascending.
   * @param most number of heights after which the search ends
   * @throws ConfigError if no node has a search index, or if no node responds
   */
  async heights(search: Search, from: number, to: number, most = Number.POSITIVE_INFINITY): Promise<Found> {
    const { found, failures } = await this.search(this.awake(), search, { from, to, most });
    if (found.nodes.length === 0) throw noSearch(failures);
    return found;
  }

  /** Searches only the nodes with these ids. The result is empty if none of them answers. */
  async heightsOfNodes(ids: readonly string[], search: Search, from: number, to: number, most: number): Promise<Found> {
    const nodes = this.awake().filter(({ endpoint }) => ids.includes(endpoint.id));
    return (await this.search(nodes, search, { from, to, most })).found;
  }

  /**
   * Returns how far the indexes reach from `from` up to `to`. An index is written after its block, so the newest blocks
   * may be missing.
   * @throws ConfigError if no node has a search index, or if no node responds
   */
  async reach(from: number, to: number): Promise<Reach> {
    const nodes = this.awake();
    const isSlow = (error: unknown) => error instanceof NodeFailure && error.kind === 'slow';
    const found = await Promise.allSettled(
      nodes.map((node) =>
        this.reachOf(node, from, to).catch((error) => {
          if (isSlow(error)) return undefined; // a slow node may still answer other searches
          this.skipWithoutIndex(node, error);
          return undefined;
        }),
      ),
    );
    this.options.signal.throwIfAborted();
    const reached = found.flatMap((one, i) =>
      one.status === 'fulfilled' && nodes[i]!.hasIndex
        ? [{ id: nodes[i]!.endpoint.id, name: nodes[i]!.endpoint.name, until: one.value }]
        : [],
    );
    if (reached.length === 0) throw noSearch(failuresOf(found));
    const heights = reached.flatMap(({ until }) => until ?? []);
    return { until: heights.length > 0 ? Math.max(...heights) : undefined, nodes: reached };
  }

  private awake(): readonly SearchedNode[] {
    const awake = this.nodes.filter(({ endpoint }) => !endpoint.isSilent);
    return awake.length > 0 ? awake : this.nodes;
  }

  private async search(
    nodes: readonly SearchedNode[],
    search: Search,
    range: SearchRange,
  ): Promise<{ found: Found; failures: string[] }> {
    const answers = await Promise.allSettled(nodes.map((node) => this.searchNode(node, search, range)));
    this.options.signal.throwIfAborted();
    const found = answers.flatMap((answer, i) =>
      answer.status === 'fulfilled' && answer.value ? [{ ...answer.value, endpoint: nodes[i]!.endpoint }] : [],
    );
    const united = new Set(found.flatMap(({ heights }) => [...heights]));
    for (const { heights, endpoint, isCut } of found) if (!isCut) this.noteDifference(endpoint.name, united, heights);
    return {
      found: {
        heights: [...united].sort((a, b) => a - b),
        pruned: Math.min(...found.map(({ pruned }) => pruned)),
        isCut: found.some(({ isCut }) => isCut),
        nodes: found.map(({ endpoint }) => endpoint.id),
      },
      failures: failuresOf(answers),
    };
  }

  /** Logs the heights that are missing in the index of a node, and the nodes that stopped answering. */
  tellDifferences(): void {
    for (const { endpoint, failure } of this.nodes) {
      if (failure !== undefined) {
        const text = `a node no longer answers searches, so the next run searches it: ${failure}`;
        this.options.say(text, { node: endpoint.name });
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
  ): Promise<NodeFound | undefined> {
    if (!node.hasIndex) return undefined;
    const deadline = performance.now() + SEARCH_MAX_MS;
    const found: NodeFound = { heights: new Set(), pruned: 0, isCut: false, pages: 0, deadline };
    let earliest = 0;
    try {
      if (search.method === 'block_search' && from <= to) {
        earliest = Math.min(await this.earliestOf(node), to + 1);
      }
      for (let next = from; next <= to && !found.isCut; ) {
        const [end, rounds] = next < earliest ? [earliest - 1, 1] : [to, SHORT_ROUNDS];
        const upper = Math.min(next + node.window - 1, end);
        if (await this.searchWindow(node, search, { from: next, to: upper, most }, found, rounds)) next = upper + 1;
      }
      if (found.heights.size > (search.possible?.(to - from + 1) ?? Number.POSITIVE_INFINITY)) {
        throw this.fail(node, `it finds more than is possible: ${search.query} at ${found.heights.size} heights`);
      }
      return found;
    } catch (error) {
      this.skipWithoutIndex(node, error);
      return undefined;
    }
  }

  /** Marks a node as one without a search index. @throws any other error */
  private skipWithoutIndex(node: SearchedNode, error: unknown): void {
    if (!(error instanceof NoIndex)) throw error;
    const { name } = node.endpoint;
    if (node.hasIndex) this.options.say(`${name} has no search index (tx_index is off): it is not searched`);
    node.hasIndex = false;
  }

  /**
   * Adds the heights of a range to `found`. A node counts blocks that it has pruned, but does not return them.
   * @param rounds number of searches in which blocks may be missing that a node behind the same address may have
   * @returns false if the range is too large for the node; the node's window is then smaller
   */
  private async searchWindow(
    node: SearchedNode,
    search: Search,
    range: SearchRange,
    found: NodeFound,
    rounds: number,
  ): Promise<boolean> {
    const { from, to } = range;
    const began = performance.now();
    const own = new Set<number>();
    let counted = 0;
    try {
      for (let round = 1; round === 1 || (counted > own.size && round <= rounds); round++) {
        counted = Math.max(counted, await this.searchPages(node, search, range, found, own));
        if (found.isCut) return true;
        if (search.method === 'tx_search') counted = 0; // it counts transactions, not blocks
      }
    } catch (error) {
      if (!(error instanceof NodeFailure && error.kind === 'slow')) throw error;
      this.narrow(node, to - from + 1, performance.now() - began, error);
      return false;
    }
    if (counted > to - from + 1) throw this.fail(node, `it counts ${counted} matches in ${to - from + 1} blocks`);
    found.pruned += Math.max(counted - own.size, 0);
    node.slow = 0;
    if (++node.successes >= node.patience) {
      node.window *= 2;
      node.successes = 0;
    }
    return true;
  }

  /** Adds the heights of a range, page by page. Returns the node's count of matches, or 0 if it does not count. */
  private async searchPages(
    node: SearchedNode,
    search: Search,
    { from, to, most }: SearchRange,
    found: NodeFound,
    own: Set<number>,
  ): Promise<number> {
    let counted = 0;
    const lastKnown = Math.max(...own);
    for (let next = from; next <= to; ) {
      if (++found.pages > PAGES_MAX) throw this.fail(node, `a search has more than ${PAGES_MAX} pages`);
      if (performance.now() > found.deadline) throw this.fail(node, 'a search takes too long');
      const { heights, items, total = 0 } = await this.page(node, search, next, to);
      if (next === from) counted = total;
      if (items === 0) {
        if (total > 0 && search.method === 'tx_search') {
          throw this.fail(node, `it counts ${total} matches, but returns none`);
        }
        break;
      }
      for (const height of heights) {
        own.add(height);
        found.heights.add(height);
      }
      found.isCut ||= found.heights.size > most;
      const isLast = (node.countsAll && total === items) || heights.at(-1) === lastKnown;
      if (found.isCut || isLast) break;
      node.countsAll ||= total > items;
      next = heights.at(-1)! + 1;
    }
    return counted;
  }

  /**
   * Makes the ranges of a node's searches smaller after a slow answer.
   * @throws NodeFailure if smaller ranges do not help, or if another node answers searches
   */
  private narrow(node: SearchedNode, size: number, elapsed: number, { message }: NodeFailure): void {
    if (size > node.window) return; // another search has made the ranges smaller meanwhile
    const isHanging = elapsed >= TIMEOUT_MS;
    const hasOther = this.nodes.some((one) => one !== node && one.hasAnswered && one.failure === undefined);
    if (size === 1 || ++node.slow === SLOW_MAX || (isHanging && hasOther)) {
      throw this.fail(node, `${message}, even for searches of ${size} blocks`);
    }
    node.window = Math.ceil(size / NARROWED);
    node.patience *= 2;
    node.successes = 0;
  }

  private async page(node: SearchedNode, search: Search, from: number, to: number): Promise<Page> {
    const bound = search.method === 'tx_search' ? 'tx.height' : 'block.height';
    const query = `${search.query} AND ${bound}>=${from} AND ${bound}<=${to}`;
    const params = { query, page: 1, per_page: PER_PAGE, order_by: 'asc' };
    const { items, total } = await node.limit(() => this.ask(node, search.method, params, readPage));
    const heights = await Promise.all(items.map((item) => item.height ?? this.heightOf(node, item.hash!)));
    const inside = heights.filter((height) => height >= from && height <= to).sort((a, b) => a - b);
    if (inside.length < items.length) throw this.fail(node, 'it answers searches with other heights');
    return { heights: inside, items: items.length, total };
  }

  /** Some gateways answer searches with the hashes of transactions. */
  private async heightOf(node: SearchedNode, hash: string): Promise<number> {
    const known = node.heightOf.get(hash);
    if (known !== undefined) return known;
    const params = { hash: Buffer.from(hash, 'hex') };
    const height = await node.limit(() => this.ask(node, 'tx', params, (result) => heightIn(result.height)));
    node.heightOf.set(hash, height);
    return height;
  }

  /** Returns the lowest block that a node behind the address has. */
  private earliestOf(node: SearchedNode): Promise<number> {
    const read = ({ sync_info }: Answer) => heightIn(isRecord(sync_info) ? sync_info.earliest_block_height : undefined);
    const ask = async () => {
      let earliest = await this.ask(node, 'status', {}, read);
      for (let i = 1; i < STATUS_ASKS && earliest > 1; i++) {
        earliest = Math.min(earliest, await this.ask(node, 'status', {}, read));
      }
      return earliest;
    };
    node.earliest ??= ask();
    return node.earliest;
  }

  private async reachOf(node: SearchedNode, from: number, to: number): Promise<number | undefined> {
    let reached: number | undefined;
    for (let round = 1; round <= REACH_ROUNDS; round++) {
      if (round > 1) await sleep(PAUSE_MS * 2 ** (round - 2), undefined, { signal: this.options.signal });
      reached = await this.indexed(node, to);
      if (reached === to) return to;
    }
    let missing = to;
    for (let step = 1; reached === undefined && missing > from; step *= 2) {
      const height = Math.max(to - step, from);
      reached = await this.indexed(node, height);
      if (reached === undefined) missing = height;
    }
    while (reached !== undefined && missing - reached > 1) {
      const middle = Math.floor((reached + missing) / 2);
      const found: number | undefined = await this.indexed(node, middle);
      if (found === undefined || found <= reached) missing = middle;
      else reached = found;
    }
    return reached;
  }

  /** Returns `height` if the index of a node contains this block. Some nodes return a lower height that it contains. */
  private async indexed(node: SearchedNode, height: number): Promise<number | undefined> {
    const ask = async (query: string) => {
      const params = { query, page: 1, per_page: 1, order_by: 'desc' };
      const { items } = await node.limit(() => this.ask(node, 'block_search', params, readPage));
      return items.flatMap((item) => (item.height !== undefined && item.height <= height ? [item.height] : []));
    };
    try {
      return (await ask(`block.height=${height}`))[0];
    } catch (error) {
      if (!(error instanceof NodeFailure && error.kind === 'slow')) throw error;
    }
    // Gateways that limit the range of a search need a range. Each block mints coins.
    return (await ask(`coinbase.minter EXISTS AND block.height>=${height} AND block.height<=${height}`))[0];
  }

  /** Returns the genesis of each node in chunks. The chunks end with an error if the node fails. */
  geneses(): { readonly name: string; readonly chunks: AsyncGenerator<Uint8Array> }[] {
    return this.awake().map((node) => ({ name: node.endpoint.name, chunks: this.genesis(node) }));
  }

  private async *genesis(node: SearchedNode): AsyncGenerator<Uint8Array> {
    const deadline = performance.now() + GENESIS_MAX_MS;
    for (let [chunk, total] = [0, 1]; chunk < total; chunk++) {
      if (performance.now() > deadline) throw new Error('it takes too long');
      const answer = await this.ask(node, 'genesis_chunked', { chunk }, ({ total, data }) => ({
        total: Number(total),
        bytes: Buffer.from(String(data), 'base64'),
      }));
      if (!(answer.total <= GENESIS_CHUNKS_MAX)) throw new Error(`it has ${answer.total} chunks`);
      total = answer.total;
      yield answer.bytes;
    }
  }

  /**
   * Calls a method until the node answers.
   * @throws NodeFailure of the kind `slow` at once, and of another kind if the node gets no further requests
   */
  private async ask<Result>(
    node: SearchedNode,
    method: string,
    params: CallParameters,
    read: (result: Answer) => Result,
  ): Promise<Result> {
    const { signal } = this.options;
    const isSearch = method.endsWith('_search');
    let [failures, limited] = [0, 0];
    for (;;) {
      signal.throwIfAborted();
      if (node.failure !== undefined) throw new NodeFailure(node.failure, 'refused');
      try {
        const asking = { timeoutMs: TIMEOUT_MS, allowance: new ByteAllowance(PAGE_MIB), signal };
        const { result = '', error } = await node.endpoint.call(method, params, asking);
        if (error) throw NO_INDEX.test(error.text) ? new NoIndex() : failureOf(error.text);
        const answer = slice(result, JSON.parse);
        if (!isRecord(answer)) throw new NodeFailure('it answers without a result');
        const found = read(answer);
        if (isSearch) [node.hasAnswered, node.denied] = [true, 0];
        return found;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NodeFailure) || error.kind === 'slow') throw error;
        const { kind, message, retryAfter } = error;
        const isDenied =
          isSearch && message.startsWith('HTTP 403') && ++node.denied === DENIED_MAX && !node.hasAnswered;
        if (isDenied) throw this.fail(node, 'HTTP 403: it does not allow searches');
        if (kind === 'refused') throw this.fail(node, message);
        const pause =
          kind === 'limit' ? Math.max(retryAfter, PAUSE_MS) : Math.min(PAUSE_MS * 2 ** failures++, PAUSE_MAX_MS);
        if (kind === 'limit') limited += pause;
        if (failures === ROUNDS || limited > RATE_LIMIT_MAX_MS) throw this.fail(node, message);
        await sleep(pause, undefined, { signal });
      }
    }
  }

  /** Notes that a node gets no further requests in this run. */
  private fail(node: SearchedNode, reason: string): NodeFailure {
    node.failure ??= `${node.endpoint.name}: ${reason}`;
    return new NodeFailure(node.failure, 'refused');
  }
}

const failuresOf = (answers: readonly PromiseSettledResult<unknown>[]): string[] =>
  answers.flatMap((answer) => (answer.status === 'rejected' ? [(answer.reason as Error).message] : []));

function noSearch(failures: readonly string[]): ConfigError {
  if (failures.length > 0) {
    const reasons = [...new Set(failures)].join('; ');
    return new ConfigError(`no node answers searches, so name another one in HUBLEDGER_RPC_URLS: ${reasons}`);
  }
  return new ConfigError(
    'no node of HUBLEDGER_RPC_URLS has a search index (its status says tx_index "off"): name one that has',
  );
}

const failureOf = (text: string): NodeFailure =>
  NO_SEARCH.test(text) ? new NodeFailure(`it does not support searches (${text})`, 'refused') : new NodeFailure(text);

type Answer = Readonly<Record<string, unknown>>;

function heightIn(value: unknown): number {
  const height = Number(value);
  if (!Number.isSafeInteger(height) || height < 1)
    throw new NodeFailure('it answers with something other than heights');
  return height;
}

interface Item {
  readonly height?: number;
  /** Hexadecimal. */
  readonly hash?: string;
}

/** Reads a page of tx_search or block_search. */
function readPage({ txs, blocks, total_count }: Answer): {
  readonly items: Item[];
  readonly total: number | undefined;
} {
  const list = txs ?? blocks ?? [];
  const total = total_count === undefined ? undefined : Number(total_count);
  if (!Array.isArray(list) || (total !== undefined && !(Number.isSafeInteger(total) && total >= 0))) {
    throw new NodeFailure('it answers a search without a list');
  }
  const items = list.map((item: unknown): Item => {
    if (!isRecord(item)) throw new NodeFailure('it answers a search without a list');
    if (item.height === undefined && typeof item.hash === 'string' && /^[\dA-F]{64}$/i.test(item.hash)) {
      return { hash: item.hash };
    }
    const block = item.block as { readonly header?: { readonly height?: unknown } } | undefined;
    return { height: heightIn(item.height ?? block?.header?.height) };
  });
  return { items, total };
}
