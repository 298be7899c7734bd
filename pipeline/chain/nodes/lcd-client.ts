/** A node's REST endpoints (LCD): the state of the chain after a block. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config-error.js';
import { isRecord } from '../../json/exact-json.js';
import { boundedText } from './bounded-text.js';
import { retryAfter } from './retry-after.js';

/** Milliseconds for one answer. */
const TIMEOUT_MS = 30_000;
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
interface Round {
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly failures: readonly string[];
  readonly isGone: boolean;
  /** Milliseconds that an endpoint asked to wait. */
  readonly retryAfter: number;
}

interface Page {
  readonly pagination?: { readonly next_key: string | null };
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
  async pages<Body>(path: string, height: number): Promise<Body[] | undefined> {
    const pages: Body[] = [];
    let key: string | null | undefined;
    do {
      const query = key ? `?pagination.key=${encodeURIComponent(key)}` : '';
      const page = await this.get<Body & Page>(`${path}${query}`, height);
      if (!page) return undefined;
      pages.push(page);
      key = page.pagination?.next_key;
    } while (key);
    return pages;
  }

  /** Asks until an endpoint answers. A height that one of them knew may be gone at another one behind the same address. */
  private async get<Body>(path: string, height: number): Promise<Body | undefined> {
    let limited = 0;
    for (let round = 1; ; ) {
      const { answer, failures, isGone, retryAfter } = await this.askAll(path, height);
      if (answer !== undefined) {
        this.known.add(height);
        return answer as Body;
      }
      limited += retryAfter;
      const isLast = round === ROUNDS || limited > RATE_LIMIT_MAX_MS;
      if (isGone ? isLast || !this.known.has(height) : isLast && failures.length === 0) return undefined;
      if (isLast) throw new ConfigError(`no node answers (HUBLEDGER_LCD_URLS): ${failures.join('; ')}`);
      await sleep(retryAfter + PAUSE_MS * 2 ** (round - 1));
      if (retryAfter === 0) round++;
    }
  }

  private async askAll(path: string, height: number): Promise<Round> {
    const failures: string[] = [];
    let [isGone, wait] = [false, 0];
    for (const url of this.urls) {
      try {
        const response = await fetch(`${url}${path}`, {
          headers: { 'x-cosmos-block-height': String(height) },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const text = await boundedText(response);
        if (response.ok) return { answer: parse(text), failures, isGone, retryAfter: 0 };
        if (response.status === 429) wait = Math.max(wait, retryAfter(response.headers.get('retry-after')));
        if (NO_STATE.test(text)) isGone = true;
        else if (!NOT_YET.test(text)) failures.push(`${new URL(url).host} answers ${response.status}`);
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
