/**
 * Queries the search index of one node (CometBFT RPC, tx_search and block_search) for the heights at which an event
 * occurred. Also downloads the genesis.
 *
 * A node searches everything again for each page, and gateways change counts and sizes of pages. So only first pages
 * are requested: the next request begins after the last height of the previous page, until a page is empty.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { isRecord } from '../../base/json/exact-json.js';
import { ByteAllowance, NodeFailure } from './ask-node.js';
import { type CallParameters, type Endpoint, slice } from './endpoint.js';

export interface Search {
  readonly method: 'tx_search' | 'block_search';
  /** Conditions on events, without limits on the height. */
  readonly query: string;
  /** Returns how many of a number of blocks can match. A node that finds more is not used. */
  readonly possible?: (blocks: number) => number;
}

export interface SearchOptions {
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
/** After this many slow replies in a row, a node no longer counts as searchable. */
const SLOW_MAX = 6;
/** After this many replies 403 in a row and no other reply to a search, searches count as forbidden. */
const DENIED_MAX = 4;
/** Requests for a page that lacks counted blocks, because another node behind a load balancer may have them. */
const SHORT_ROUNDS = 8;
/** Requests for the newest block, because an index is written after the block. */
const REACH_ROUNDS = 5;
const GENESIS_CHUNKS_MAX = 10_000;
const GENESIS_MAX_MS = 600_000;
const STATUS_ASKS = 5;

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

export interface SearchRange {
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

export class SearchNode {
  private readonly limit = pLimit(AT_ONCE);
  hasIndex = true;
  /** Why the node gets no further requests in this run. */
  failure?: string;
  hasReplied = false;
  /** True if a count was larger than its page. The node's counts are then counts of all matches. */
  private countsAll = false;
  private denied = 0;
  private slow = 0;
  /** Maximum number of blocks of a search. It shrinks when the node is too slow, and grows after `patience` successes. */
  private window = Number.POSITIVE_INFINITY;
  private patience = 1;
  private successes = 0;
  private earliest?: Promise<number>;
  private readonly heightByHash = new Map<string, number>();

  /** @param peers all nodes of the search */
  constructor(
    readonly endpoint: Endpoint,
    private readonly options: SearchOptions,
    private readonly peers: () => readonly SearchNode[],
  ) {}

  async search(search: Search, { from, to, most }: SearchRange): Promise<NodeFound | undefined> {
    if (!this.hasIndex) return undefined;
    const deadline = performance.now() + SEARCH_MAX_MS;
    const found: NodeFound = { heights: new Set(), pruned: 0, isCut: false, pages: 0, deadline };
    let earliest = 0;
    try {
      if (search.method === 'block_search' && from <= to) {
        earliest = Math.min(await this.lowestHeight(), to + 1);
      }
      for (let next = from; next <= to && !found.isCut; ) {
        const [end, rounds] = next < earliest ? [earliest - 1, 1] : [to, SHORT_ROUNDS];
        const upper = Math.min(next + this.window - 1, end);
        if (await this.searchWindow(search, { from: next, to: upper, most }, found, rounds)) next = upper + 1;
      }
      if (found.heights.size > (search.possible?.(to - from + 1) ?? Number.POSITIVE_INFINITY)) {
        throw this.fail(`it finds more than is possible: ${search.query} at ${found.heights.size} heights`);
      }
      return found;
    } catch (error) {
      this.skipWithoutIndex(error);
      return undefined;
    }
  }

  /** Marks a node as one without a search index. @throws any other error */
  private skipWithoutIndex(error: unknown): void {
    if (!(error instanceof NoIndex)) throw error;
    const { name } = this.endpoint;
    if (this.hasIndex) this.options.say(`${name} has no search index (tx_index is off): it is not searched`);
    this.hasIndex = false;
  }

  /**
   * Adds the heights of a range to `found`. A node counts blocks that it has pruned, but does not return them.
   * @param rounds number of searches in which blocks may be missing that a node behind the same address may have
   * @returns false if the range is too large for the node; the node's window is then smaller
   */
  private async searchWindow(search: Search, range: SearchRange, found: NodeFound, rounds: number): Promise<boolean> {
    const { from, to } = range;
    const began = performance.now();
    const heightsInWindow = new Set<number>();
    let counted = 0;
    try {
      for (let round = 1; round === 1 || (counted > heightsInWindow.size && round <= rounds); round++) {
        counted = Math.max(counted, await this.searchPages(search, range, found, heightsInWindow));
        if (found.isCut) return true;
        if (search.method === 'tx_search') counted = 0; // it counts transactions, not blocks
      }
    } catch (error) {
      if (!isSlow(error)) throw error;
      this.narrow(to - from + 1, performance.now() - began, error);
      return false;
    }
    if (counted > to - from + 1) throw this.fail(`it counts ${counted} matches in ${to - from + 1} blocks`);
    found.pruned += Math.max(counted - heightsInWindow.size, 0);
    this.slow = 0;
    if (++this.successes >= this.patience) {
      this.window *= 2;
      this.successes = 0;
    }
    return true;
  }

  /** Adds the heights of a range, page by page. Returns the node's count of matches, or 0 if it does not count. */
  private async searchPages(
    search: Search,
    { from, to, most }: SearchRange,
    found: NodeFound,
    heightsInWindow: Set<number>,
  ): Promise<number> {
    let counted = 0;
    const lastKnown = Math.max(...heightsInWindow);
    for (let next = from; next <= to; ) {
      if (++found.pages > PAGES_MAX) throw this.fail(`a search has more than ${PAGES_MAX} pages`);
      if (performance.now() > found.deadline) throw this.fail('a search takes too long');
      const { heights, items, total = 0 } = await this.page(search, next, to);
      if (next === from) counted = total;
      if (items === 0) {
        if (total > 0 && search.method === 'tx_search') {
          throw this.fail(`it counts ${total} matches, but returns none`);
        }
        break;
      }
      for (const height of heights) {
        heightsInWindow.add(height);
        found.heights.add(height);
      }
      found.isCut ||= found.heights.size > most;
      const isLast = (this.countsAll && total === items) || heights.at(-1) === lastKnown;
      if (found.isCut || isLast) break;
      this.countsAll ||= total > items;
      next = heights.at(-1)! + 1;
    }
    return counted;
  }

  /**
   * Makes the ranges of a node's searches smaller after a slow reply.
   * @throws NodeFailure if smaller ranges do not help, or if another node answers searches
   */
  private narrow(size: number, elapsed: number, { message }: NodeFailure): void {
    if (size > this.window) return; // another search has made the ranges smaller meanwhile
    const isHanging = elapsed >= TIMEOUT_MS;
    const hasOther = this.peers().some((one) => one !== this && one.hasReplied && one.failure === undefined);
    if (size === 1 || ++this.slow === SLOW_MAX || (isHanging && hasOther)) {
      throw this.fail(`${message}, even for searches of ${size} blocks`);
    }
    this.window = Math.ceil(size / NARROWED);
    this.patience *= 2;
    this.successes = 0;
  }

  private async page(search: Search, from: number, to: number): Promise<Page> {
    const bound = search.method === 'tx_search' ? 'tx.height' : 'block.height';
    const query = `${search.query} AND ${bound}>=${from} AND ${bound}<=${to}`;
    const params = { query, page: 1, per_page: PER_PAGE, order_by: 'asc' };
    const { items, total } = await this.limit(() => this.ask(search.method, params, readPage));
    const heights = await Promise.all(items.map((item) => item.height ?? this.heightOf(item.hash!)));
    const inside = heights.filter((height) => height >= from && height <= to).sort((a, b) => a - b);
    if (inside.length < items.length) throw this.fail('it answers searches with other heights');
    return { heights: inside, items: items.length, total };
  }

  /** Some gateways answer searches with the hashes of transactions. */
  private async heightOf(hash: string): Promise<number> {
    const known = this.heightByHash.get(hash);
    if (known !== undefined) return known;
    const params = { hash: Buffer.from(hash, 'hex') };
    const height = await this.limit(() => this.ask('tx', params, (result) => heightIn(result.height)));
    this.heightByHash.set(hash, height);
    return height;
  }

  /** Returns the lowest block that a node behind the address has. */
  private lowestHeight(): Promise<number> {
    const read = ({ sync_info }: RpcResult) =>
      heightIn(isRecord(sync_info) ? sync_info.earliest_block_height : undefined);
    const ask = async () => {
      let earliest = await this.ask('status', {}, read);
      for (let i = 1; i < STATUS_ASKS && earliest > 1; i++) {
        earliest = Math.min(earliest, await this.ask('status', {}, read));
      }
      return earliest;
    };
    this.earliest ??= ask();
    return this.earliest;
  }

  /** Returns the highest block that the index contains, from `from` up to `to`. Undefined if the node does not show it. */
  async reach(from: number, to: number): Promise<number | undefined> {
    try {
      return await this.findReach(from, to);
    } catch (error) {
      if (!isSlow(error)) this.skipWithoutIndex(error); // a slow node may still answer other searches
      return undefined;
    }
  }

  private async findReach(from: number, to: number): Promise<number | undefined> {
    let reached: number | undefined;
    for (let round = 1; round <= REACH_ROUNDS; round++) {
      if (round > 1) await sleep(PAUSE_MS * 2 ** (round - 2), undefined, { signal: this.options.signal });
      reached = await this.indexed(to);
      if (reached === to) return to;
    }
    let missing = to;
    for (let step = 1; reached === undefined && missing > from; step *= 2) {
      const height = Math.max(to - step, from);
      reached = await this.indexed(height);
      if (reached === undefined) missing = height;
    }
    while (reached !== undefined && missing - reached > 1) {
      const middle = Math.floor((reached + missing) / 2);
      const found: number | undefined = await this.indexed(middle);
      if (found === undefined || found <= reached) missing = middle;
      else reached = found;
    }
    return reached;
  }

  /** Returns `height` if the index of a node contains this block. Some nodes return a lower height that it contains. */
  private async indexed(height: number): Promise<number | undefined> {
    const ask = async (query: string) => {
      const params = { query, page: 1, per_page: 1, order_by: 'desc' };
      const { items } = await this.limit(() => this.ask('block_search', params, readPage));
      return items.flatMap((item) => (item.height !== undefined && item.height <= height ? [item.height] : []));
    };
    try {
      return (await ask(`block.height=${height}`))[0];
    } catch (error) {
      if (!isSlow(error)) throw error;
    }
    // Gateways that limit the range of a search need a range. Each block mints coins.
    return (await ask(`coinbase.minter EXISTS AND block.height>=${height} AND block.height<=${height}`))[0];
  }

  async *genesis(): AsyncGenerator<Uint8Array> {
    const deadline = performance.now() + GENESIS_MAX_MS;
    for (let [chunk, total] = [0, 1]; chunk < total; chunk++) {
      if (performance.now() > deadline) throw new Error('it takes too long');
      const reply = await this.ask('genesis_chunked', { chunk }, ({ total, data }) => ({
        total: Number(total),
        bytes: Buffer.from(String(data), 'base64'),
      }));
      if (!(reply.total <= GENESIS_CHUNKS_MAX)) throw new Error(`it has ${reply.total} chunks`);
      total = reply.total;
      yield reply.bytes;
    }
  }

  /**
   * Calls a method until the node answers.
   * @throws NodeFailure of the kind `slow` at once, and of another kind if the node gets no further requests
   */
  private async ask<Result>(
    method: string,
    params: CallParameters,
    read: (result: RpcResult) => Result,
  ): Promise<Result> {
    const { signal } = this.options;
    const isSearch = method.endsWith('_search');
    let [failures, limited] = [0, 0];
    for (;;) {
      signal.throwIfAborted();
      if (this.failure !== undefined) throw new NodeFailure(this.failure, 'refused');
      try {
        const asking = { timeoutMs: TIMEOUT_MS, allowance: new ByteAllowance(PAGE_MIB), signal };
        const { result = '', error } = await this.endpoint.call(method, params, asking);
        if (error) throw NO_INDEX.test(error.text) ? new NoIndex() : failureOf(error.text);
        const reply = slice(result, JSON.parse);
        if (!isRecord(reply)) throw new NodeFailure('it answers without a result');
        const found = read(reply);
        if (isSearch) [this.hasReplied, this.denied] = [true, 0];
        return found;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NodeFailure) || error.kind === 'slow') throw error;
        const { kind, message, retryAfter } = error;
        const isDenied = isSearch && message.startsWith('HTTP 403') && ++this.denied === DENIED_MAX && !this.hasReplied;
        if (isDenied) throw this.fail('HTTP 403: it does not allow searches');
        if (kind === 'refused') throw this.fail(message);
        const pause =
          kind === 'limit' ? Math.max(retryAfter, PAUSE_MS) : Math.min(PAUSE_MS * 2 ** failures++, PAUSE_MAX_MS);
        if (kind === 'limit') limited += pause;
        if (failures === ROUNDS || limited > RATE_LIMIT_MAX_MS) throw this.fail(message);
        await sleep(pause, undefined, { signal });
      }
    }
  }

  /** Notes that a node gets no further requests in this run. */
  private fail(reason: string): NodeFailure {
    this.failure ??= `${this.endpoint.name}: ${reason}`;
    return new NodeFailure(this.failure, 'refused');
  }
}

const isSlow = (error: unknown): error is NodeFailure => error instanceof NodeFailure && error.kind === 'slow';

const failureOf = (text: string): NodeFailure =>
  NO_SEARCH.test(text) ? new NodeFailure(`it does not support searches (${text})`, 'refused') : new NodeFailure(text);

type RpcResult = Readonly<Record<string, unknown>>;

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
function readPage({ txs, blocks, total_count }: RpcResult): {
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
