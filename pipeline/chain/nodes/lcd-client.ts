import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../base/config-error.js';
import { isRecord } from '../../base/json/exact-json.js';
import { retryAfter } from '../../base/retry-after.js';
import { askNode, ByteAllowance } from './ask-node.js';

const TIMEOUT_MS = 30_000;
const PAGE_MIB = 32;
const ROUNDS = 6;
const PAUSE_MS = 100;
const RATE_LIMIT_MAX_MS = 300_000;
/** A node that hangs needs TIMEOUT_MS for each round, so the time is limited, too. */
const PATIENCE_MS = 60_000;

/** Matches error texts of nodes that have pruned the state at a height (cosmossdk.io/store, baseapp). */
const NO_STATE = /failed to load state|version does not exist|version mismatch|height \d+ is not available|pruned/i;
const NOT_YET = /height in the future/i;

interface Round<Answer> {
  readonly answer?: Answer;
  readonly failures: readonly string[];
  readonly isGone: boolean;
  readonly retryAfter: number;
}

export type ReadAnswer<Page> = (answer: Readonly<Record<string, unknown>>) => Page;

interface Page<Content> {
  readonly content: Content;
  readonly next: string | undefined;
}

export class LcdClient {
  private readonly known = new Set<number>();

  constructor(private readonly urls: readonly string[]) {}

  /**
   * Returns the content of all pages; undefined if no endpoint has the state at this height.
   * @param absent matches the error text for something that does not exist at this height; the result is then empty
   * @throws ConfigError if no endpoint responds
   */
  async pages<Content>(
    path: string,
    height: number,
    read: ReadAnswer<Content>,
    absent?: RegExp,
  ): Promise<Content[] | undefined> {
    if (height === 0) return undefined; // nodes would treat 0 as the latest height
    const contents: Content[] = [];
    const keys = new Set<string>();
    for (let query = ''; ; ) {
      const page = await this.get(`${path}${query}`, height, (answer) => readPage(answer, read, keys), absent);
      if (!page) return undefined;
      contents.push(page.content);
      if (page.next === undefined) return contents;
      keys.add(page.next);
      query = `?pagination.key=${encodeURIComponent(page.next)}`;
    }
  }

  private async get<Answer>(
    path: string,
    height: number,
    read: ReadAnswer<Answer>,
    absent?: RegExp,
  ): Promise<Answer | undefined> {
    let limited = 0;
    const began = performance.now();
    for (let round = 1; ; ) {
      const { answer, failures, isGone, retryAfter } = await this.askAll(path, height, read, absent);
      if (answer !== undefined) {
        this.known.add(height);
        return answer;
      }
      limited += retryAfter;
      const isHanging = performance.now() - began - limited > PATIENCE_MS;
      const isLast = round === ROUNDS || isHanging || limited > RATE_LIMIT_MAX_MS;
      if (isGone ? isLast || !this.known.has(height) : isLast && failures.length === 0) return undefined;
      if (isLast) throw new ConfigError(`no node answers (HUBLEDGER_LCD_URLS): ${failures.join('; ')}`);
      await sleep(retryAfter + PAUSE_MS * 2 ** (round - 1));
      if (retryAfter === 0) round++;
    }
  }

  private async askAll<Answer>(
    path: string,
    height: number,
    read: ReadAnswer<Answer>,
    absent: RegExp | undefined,
  ): Promise<Round<Answer>> {
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
        if (status === 404 && absent?.test(text)) return { answer: read({}), failures, isGone, retryAfter: 0 };
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

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRecord(answer)) return answer;
  } catch {}
  throw new Error('answers with something other than a JSON object');
}

function readPage<Content>(
  answer: Readonly<Record<string, unknown>>,
  read: ReadAnswer<Content>,
  keys: ReadonlySet<string>,
): Page<Content> {
  const { pagination } = answer;
  const key = isRecord(pagination) ? pagination.next_key : undefined;
  if (key === undefined || key === null || key === '') return { content: read(answer), next: undefined };
  if (typeof key !== 'string' || keys.has(key)) throw new Error('answers with an invalid page key');
  return { content: read(answer), next: key };
}
