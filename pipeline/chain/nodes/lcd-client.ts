import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../base/config-error.js';
import { isRecord } from '../../base/json/exact-json.js';
import { ByteAllowance, NodeFailure } from './ask-node.js';
import { type Endpoint, endpointsOf, type NodeAddress } from './endpoint.js';

const TIMEOUT_MS = 15_000;
/** Maximum size of all pages of a reply. */
const REPLY_MIB = 32;
const PAGES_MAX = 1_000;
const ROUNDS = 6;
const PAUSE_MS = 100;
const RATE_LIMIT_MAX_MS = 300_000;
/** Maximum time for all pages of a reply, without pauses for rate limits. */
const PATIENCE_MS = 60_000;

/** Matches error texts of nodes that have pruned the state at a height (cosmossdk.io/store, baseapp). */
export const NO_STATE =
  /failed to load state|version does not exist|version mismatch|height \d+ is not available|pruned/i;
export const NOT_YET = /height in the future/i;

/** Why an endpoint has no state at a height: it has pruned the state, or it is a few blocks behind. */
type Absence = 'gone' | 'not yet';

interface Round<Reply> {
  readonly reply?: Reply;
  readonly failures: readonly string[];
  readonly isGone: boolean;
  readonly retryAfter: number;
  /** True if no node would answer another request. */
  readonly isFinal: boolean;
}

export type ReadReply<Page> = (reply: Readonly<Record<string, unknown>>) => Page;

interface Page<Content> {
  readonly content: Content;
  readonly next: string | undefined;
}

interface Question<Reply> {
  readonly path: string;
  readonly height: number;
  readonly read: ReadReply<Reply>;
  /** Matches the error text for something that does not exist at this height; the result is then empty. */
  readonly absent?: RegExp | undefined;
}

export class LcdClient {
  private readonly known = new Set<number>();
  /** The endpoint that answered last is first. */
  private endpoints: readonly Endpoint[];

  constructor(addresses: readonly NodeAddress[]) {
    this.endpoints = endpointsOf(addresses);
  }

  /**
   * Returns the content of all pages; undefined if no endpoint has the state at this height. All pages come from the
   * same endpoint.
   * @param absent matches the error text for something that does not exist at this height; the result is then empty
   * @throws ConfigError if no endpoint responds
   */
  async pages<Content>(
    path: string,
    height: number,
    read: ReadReply<Content>,
    absent?: RegExp,
  ): Promise<Content[] | undefined> {
    if (height === 0) return undefined; // nodes would treat 0 as the latest height
    let limited = 0;
    const began = performance.now();
    for (let round = 1; ; ) {
      const { reply, failures, isGone, retryAfter, isFinal } = await this.askAll({ path, height, read, absent });
      if (reply !== undefined) {
        this.known.add(height);
        return reply;
      }
      limited += retryAfter;
      const isHanging = performance.now() - began - limited > PATIENCE_MS;
      const isLast = round === ROUNDS || isHanging || isFinal || limited > RATE_LIMIT_MAX_MS;
      if (isGone ? isLast || !this.known.has(height) : isLast && failures.length === 0) return undefined;
      if (isLast) throw new ConfigError(`no node answers (HUBLEDGER_LCD_URLS): ${failures.join('; ')}`);
      await sleep(retryAfter + PAUSE_MS * 2 ** (round - 1));
      if (retryAfter === 0) round++;
    }
  }

  private async askAll<Content>(question: Question<Content>): Promise<Round<Content[]>> {
    const failures: string[] = [];
    let [isGone, wait, isFinal] = [false, 0, true];
    const awake = this.endpoints.filter(({ isSilent }) => !isSilent);
    const silent: Endpoint[] = [];
    for (const endpoint of awake.length > 0 ? awake : this.endpoints) {
      try {
        const reply = await this.allPages(endpoint, question);
        if (typeof reply !== 'string') {
          for (const one of silent) one.isSilent = true;
          endpoint.isSilent = false;
          this.endpoints = [endpoint, ...this.endpoints.filter((one) => one !== endpoint)];
          return { reply, failures, isGone, retryAfter: 0, isFinal };
        }
        if (reply === 'gone') isGone = true;
        isFinal = false;
      } catch (error) {
        const { kind, retryAfter } = error instanceof NodeFailure ? error : new NodeFailure('');
        if (kind === 'slow') silent.push(endpoint);
        if (kind !== 'refused') isFinal = false;
        wait = Math.max(wait, retryAfter);
        failures.push(`${endpoint.name}: ${(error as Error).message}`);
      }
    }
    return { failures, isGone, retryAfter: wait, isFinal };
  }

  private async allPages<Content>(endpoint: Endpoint, question: Question<Content>): Promise<Content[] | Absence> {
    const allowance = new ByteAllowance(REPLY_MIB);
    const [contents, keys, began]: [Content[], Set<string>, number] = [[], new Set(), performance.now()];
    for (let query = ''; ; ) {
      const page = await this.page(endpoint, question, query, allowance, keys);
      if (typeof page === 'string') return page;
      contents.push(page.content);
      if (page.next === undefined) return contents;
      if (contents.length === PAGES_MAX)
        throw new NodeFailure(`its answer has more than ${PAGES_MAX} pages`, 'refused');
      if (performance.now() - began > PATIENCE_MS) throw new NodeFailure('its pages take too long', 'slow');
      keys.add(page.next);
      query = `?pagination.key=${encodeURIComponent(page.next)}`;
    }
  }

  private async page<Content>(
    endpoint: Endpoint,
    { path, height, read, absent }: Question<Content>,
    query: string,
    allowance: ByteAllowance,
    keys: ReadonlySet<string>,
  ): Promise<Page<Content> | Absence> {
    const asking = { timeoutMs: TIMEOUT_MS, allowance };
    const headers = { 'x-cosmos-block-height': String(height) };
    const { status, text, headers: replyHeaders } = await endpoint.send(`${path}${query}`, asking, { headers });
    if (status >= 200 && status < 300) return isOf(height, replyHeaders) ? readPage(parse(text), read, keys) : 'gone';
    if (status === 404 && absent?.test(text)) return readPage({}, read, keys);
    if (NO_STATE.test(text)) return 'gone';
    if (NOT_YET.test(text)) return 'not yet';
    const other = status === 404 || status === 501 ? await endpoint.otherApi('rest', asking) : undefined;
    if (other !== undefined) throw new NodeFailure(other, 'refused');
    throw new NodeFailure(`answers ${status}`);
  }
}

/**
 * Returns true if a reply states the requested height. A proxy that drops or ignores the height of the request
 * returns another state.
 */
const isOf = (height: number, headers: Headers): boolean =>
  STATED_HEIGHTS.some((name) => headers.get(name) === String(height));

/** The second name is that of older gRPC gateways. */
const STATED_HEIGHTS = ['x-cosmos-block-height', 'grpc-metadata-x-cosmos-block-height'];

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const reply: unknown = JSON.parse(text);
    if (isRecord(reply)) return reply;
  } catch {}
  throw new Error('answers with something other than a JSON object');
}

function readPage<Content>(
  reply: Readonly<Record<string, unknown>>,
  read: ReadReply<Content>,
  keys: ReadonlySet<string>,
): Page<Content> {
  const { pagination } = reply;
  const key = isRecord(pagination) ? pagination.next_key : undefined;
  if (key === undefined || key === null || key === '') return { content: read(reply), next: undefined };
  if (typeof key !== 'string' || keys.has(key)) throw new Error('answers with an invalid page key');
  return { content: read(reply), next: key };
}
