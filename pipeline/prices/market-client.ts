import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, parseJson } from '../base/json/exact-json.js';
import { quoted } from '../base/json/quoted.js';
import { retryAfter } from '../base/retry-after.js';
import { MarketFailure, type MarketFault, type SourceContext } from './market-source.js';

/** How a market reports a refusal in its JSON. */
export interface RefusalFormat {
  /** Returns the error code and text of a reply; undefined if the reply is not an error. */
  readonly errorIn: (json: unknown) => string | undefined;
  readonly faults: readonly (readonly [error: RegExp, fault: MarketFault])[];
}

export interface MarketReply {
  readonly text: string;
  readonly json: unknown;
}

interface CheckedReply extends MarketReply {
  readonly status: number;
  readonly headers: Headers;
}

const TIMEOUT_MS = 20_000;
/** First wait after a refusal for too many requests. Each later wait is twice as long. */
const LIMIT_WAIT_MS = 4_000;
/** Longest time that a run waits for one market because of its limits. */
const LIMIT_WAIT_MAX_MS = 60_000;

const [TOO_MANY_REQUESTS, BANNED] = [429, 418];
const [FORBIDDEN, UNAVAILABLE_FOR_LEGAL_REASONS] = [403, 451];

/** Sends requests to one market, one at a time. After a failure that ends the run's requests, it sends no more. */
export class MarketClient {
  private waited = 0;
  private last: MarketFailure | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly options: RefusalFormat & Pick<SourceContext, 'fetch' | 'wait'> & { readonly pauseMs: number },
  ) {}

  /** @throws MarketFailure */
  read(market: string, url: string): Promise<MarketReply> {
    const reply = this.turn.then(() => this.readInTurn(market, url));
    this.turn = reply.catch(() => undefined).then(() => this.wait(this.last ? 0 : this.options.pauseMs));
    return reply;
  }

  private async readInTurn(market: string, url: string): Promise<MarketReply> {
    for (let wait = LIMIT_WAIT_MS; ; wait *= 2) {
      if (this.last) throw this.last;
      const reply = await this.ask(url);
      const failure = this.failureOf(market, reply);
      if (!failure) return reply;
      const header = reply.headers.get('retry-after');
      const pause = header === null ? wait : retryAfter(header);
      const isPatient = failure.fault === 'limit' && this.waited + pause <= LIMIT_WAIT_MAX_MS;
      if (!isPatient) throw this.remember(failure);
      this.waited += pause;
      await this.wait(pause);
    }
  }

  private wait(ms: number): Promise<unknown> {
    return (this.options.wait ?? sleep)(ms);
  }

  private remember(failure: MarketFailure): MarketFailure {
    if (failure.unreachable) this.last = failure;
    return failure;
  }

  private async ask(url: string): Promise<CheckedReply> {
    try {
      const response = await this.options.fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
    } catch (error) {
      const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
      throw this.remember(new MarketFailure('away', `${this.name} cannot be reached (${cause?.code ?? message})`));
    }
  }

  /** Returns undefined if the reply is not a refusal. A reply may contain a web page, which is not repeated. */
  private failureOf(market: string, { status, json }: CheckedReply): MarketFailure | undefined {
    const { errorIn, faults } = this.options;
    const error = errorIn(json);
    const reason = `HTTP ${status}${error === undefined ? '' : `, ${quoted(error)}`}`;
    const isFine = status >= 200 && status < 300;
    if (isFine && error === undefined) return undefined;
    const fault =
      faults.find(([pattern]) => pattern.test(error ?? ''))?.[1] ?? (isFine ? 'unreadable' : byStatus(status));
    return new MarketFailure(fault, this.sentence(fault, market, reason), market);
  }

  private sentence(fault: MarketFault, market: string, reason: string): string {
    switch (fault) {
      case 'country':
        return `${this.name} does not serve this country or network (${reason})`;
      case 'limit':
        return `${this.name} limits requests (${reason})`;
      case 'away':
        return `${this.name} is out of service (${reason})`;
      case 'range':
        return `${this.name} returns only recent days without a key (${reason})`;
      case 'unlisted':
        return `${this.name} does not list ${market} (${reason})`;
      default:
        return `${this.name} ${market} has an unknown answer (${reason})`;
    }
  }
}

function byStatus(status: number): MarketFault {
  if (status === FORBIDDEN || status === UNAVAILABLE_FOR_LEGAL_REASONS) return 'country';
  if (status === TOO_MANY_REQUESTS || status === BANNED) return 'limit';
  return status >= 500 ? 'away' : 'unreadable';
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Returns the member `name` of an object if it is a text or a number; otherwise undefined. */
export function wordIn(json: unknown, name: string): string | undefined {
  const value = isRecord(json) ? json[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
