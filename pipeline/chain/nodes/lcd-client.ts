/** A node's REST endpoints (LCD): the state of the chain after a block. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config-error.js';
import { isRecord } from '../../json/exact-json.js';
import { askNode, ByteAllowance, retryAfter } from './ask-node.js';

/** Milliseconds for one answer. */
const TIMEOUT_MS = 30_000;
/** MiB for one page of an answer. */
const PAGE_MIB = 32;
/** Times that every endpoint is asked before it counts as dead, or a height as gone. */
const ROUNDS = 6;
/** Milliseconds after the first round in which nobody answered; doubled with each. */
const PAUSE_MS = 100;
/** Milliseconds that rate limits may cost one request in all. */
const RATE_LIMIT_MAX_MS = 300_000;

/** Matches the errors of nodes that do not keep the state of a height (cosmossdk.io/store, baseapp). */
const NO_STATE = /failed to load state|version does not exist|version mismatch|height \d+ is not available|pruned/i;
/** Matches the error of a node that is not there yet, as one behind a balancer may be (baseapp). */
const NOT_YET = /height in the future/i;

/** The outcome of asking every endpoint once: an answer, or why there is none. */
interface Round<Answer> {
  readonly answer?: Answer;
  readonly failures: readonly string[];
  readonly isGone: boolean;
  /** Milliseconds that an endpoint asked to wait. */
  readonly retryAfter: number;
}

/** Takes what is wanted out of an answer. @throws Error for an answer that does not have it: another endpoint may */
export type ReadAnswer<Page> = (answer: Readonly<Record<string, unknown>>) => Page;

interface Page<Content> {
  readonly content: Content;
  /** Key of the page behind it; undefined on the last one. */
  readonly next: string | undefined;
}

export class LcdClient {
  /** Heights of which an endpoint had the state. */
  private readonly known = new Set<number>();

  /** @param urls endpoints of the same chain: where one fails the next is asked */
  constructor(private readonly urls: readonly string[]) {}

  /**
   * Reads all pages of an answer; undefined when no endpoint has the state of that height.
   * @throws ConfigError when none answers
   */
  async pages<Content>(path: string, height: number, read: ReadAnswer<Content>): Promise<Content[] | undefined> {
    const contents: Content[] = [];
    const keys = new Set<string>();
    for (let query = ''; ; ) {
      const page = await this.get(`${path}${query}`, height, (answer) => readPage(answer, read, keys));
      if (!page) return undefined;
      contents.push(page.content);
      if (page.next === undefined) return contents;
      keys.add(page.next);
      query = `?pagination.key=${encodeURIComponent(page.next)}`;
    }
  }

  /** Asks until an endpoint answers. A height that one of them knew may be gone at another one behind the same address. */
  private async get<Answer>(path: string, height: number, read: ReadAnswer<Answer>): Promise<Answer | undefined> {
    let limited = 0;
    for (let round = 1; ; ) {
      const { answer, failures, isGone, retryAfter } = await this.askAll(path, height, read);
      if (answer !== undefined) {
        this.known.add(height);
        return answer;
      }
      limited += retryAfter;
      const isLast = round === ROUNDS || limited > RATE_LIMIT_MAX_MS;
      if (isGone ? isLast || !this.known.has(height) : isLast && failures.length === 0) return undefined;
      if (isLast) throw new ConfigError(`no node answers (HUBLEDGER_LCD_URLS): ${failures.join('; ')}`);
      await sleep(retryAfter + PAUSE_MS * 2 ** (round - 1));
      if (retryAfter === 0) round++;
    }
  }

  private async askAll<Answer>(path: string, height: number, read: ReadAnswer<Answer>): Promise<Round<Answer>> {
    const failures: string[] = [];
    let [isGone, wait] = [false, 0];
    for (const url of this.urls) {
      try {
        const { status, headers, text } = await askNode(`${url}${path}`, {
          headers: { 'x-cosmos-block-height': String(height) },
          timeoutMs: TIMEOUT_MS,
          allowance: new ByteAllowance(PAGE_MIB),
        });
        if (status >= 200 && status < 300) return { answer: read(parse(text)), failures, isGone, retryAfter: 0 };
        if (status === 429) wait = Math.max(wait, retryAfter(headers.get('retry-after')));
        if (NO_STATE.test(text)) isGone = true;
        else if (!NOT_YET.test(text)) failures.push(`${new URL(url).host} answers ${status}`);
      } catch (error) {
        failures.push(`${new URL(url).host}: ${(error as Error).message}`);
      }
    }
    return { failures, isGone, retryAfter: wait };
  }
}

/** @throws Error for what is no answer of a node, such as the page of a gateway, or half of one */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRecord(answer)) return answer;
  } catch {}
  throw new Error('answers with what is no JSON object');
}

/** @param keys of the pages before: one that comes again would have them read without end */
function readPage<Content>(
  answer: Readonly<Record<string, unknown>>,
  read: ReadAnswer<Content>,
  keys: ReadonlySet<string>,
): Page<Content> {
  const { pagination } = answer;
  const key = isRecord(pagination) ? pagination.next_key : undefined;
  if (key === undefined || key === null || key === '') return { content: read(answer), next: undefined };
  if (typeof key !== 'string' || keys.has(key)) throw new Error('answers with pages that lead nowhere');
  return { content: read(answer), next: key };
}
