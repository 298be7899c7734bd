/** A node's REST endpoints (LCD): the state of the chain after a block. */
import { ConfigError } from '../../config-error.js';

/** Milliseconds for one answer. */
const TIMEOUT_MS = 30_000;

/** Matches the errors of nodes that do not keep the state of a height (cosmossdk.io/store, baseapp). */
const NO_STATE = /failed to load state|version does not exist|version mismatch|height \d+ is not available|pruned/i;

interface Page {
  readonly pagination?: { readonly next_key: string | null };
}

export class LcdClient {
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

  private async get<Body>(path: string, height: number): Promise<Body | undefined> {
    const failures: string[] = [];
    let lacks = false;
    for (const url of this.urls) {
      try {
        const response = await fetch(`${url}${path}`, {
          headers: { 'x-cosmos-block-height': String(height) },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text);
        if (NO_STATE.test(text)) lacks = true;
        else failures.push(`${new URL(url).host} answers ${response.status}`);
      } catch (error) {
        failures.push(`${new URL(url).host}: ${(error as Error).message}`);
      }
    }
    if (lacks) return undefined;
    throw new ConfigError(`no node answers (HUBLEDGER_LCD_URLS): ${failures.join('; ')}`);
  }
}
