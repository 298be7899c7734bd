/**
 * Sheds load. The server refuses new requests at once while the event loop is late and a crowd of requests is in
 * progress. A late event loop alone proves no load: other programs may keep the machine busy.
 */
import type { RequestListener } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { pathOf } from '../http/request-input.js';
import { requestIdOf } from './middleware/every-request.js';
import type { Metrics } from './middleware/metrics.js';
import { plainRefusal } from './parser-errors.js';

/** Paths for load balancers and operators. */
const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz', '/metrics']);

const REFUSAL = new Problem('unavailable', 'the server is overloaded: ask again later', { retryAfter: 5 });
const REFUSED = { route: 'none', status: '5xx', kept: 'no' };
const RESOLUTION_MS = 20;
/** Time for which the connection of a refused request is paused. */
const PAUSE_MS = 1000;

export interface OverloadBounds {
  /** Mean delay of the event loop between two checks, and length of a round, in milliseconds. */
  readonly delayMs: number;
  /** Requests in progress from which a late event loop sheds load. */
  readonly crowd: number;
  /** Milliseconds between two checks. */
  readonly everyMs: number;
}

const BOUNDS: OverloadBounds = {
  delayMs: LIMITS.waits.eventLoop.max,
  crowd: LIMITS.answers.crowd.max,
  everyMs: 1000,
};

interface Sources {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export class Overload {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly looking: NodeJS.Timeout;
  private isLate = false;
  private underWay = 0;
  /** Time of the first request of this round of the event loop. */
  private roundBegan: number | undefined;
  private refused = 0;

  constructor(
    private readonly sources: Sources,
    private readonly bounds = BOUNDS,
  ) {
    this.delay.enable();
    this.looking = setInterval(() => this.look(), bounds.everyMs).unref();
  }

  /** Returns whether this round of the event loop has lasted too long already. No timer runs before it ends. */
  private isRoundLate(): boolean {
    const now = performance.now();
    if (this.roundBegan === undefined) {
      this.roundBegan = now;
      setImmediate(() => {
        this.roundBegan = undefined;
      });
    }
    return now - this.roundBegan > this.bounds.delayMs;
  }

  private look(): void {
    // Without a sample the mean is NaN, which is not late.
    this.isLate = this.delay.mean / 1e6 - RESOLUTION_MS > this.bounds.delayMs;
    this.delay.reset();
    if (this.refused > 0) this.sources.log.warn({ requests: this.refused }, 'overloaded: refused new requests');
    this.refused = 0;
  }

  /**
   * Refuses requests while the server is overloaded. Runs before the application, whose refusals take ten times as long,
   * and logs no line for each.
   */
  readonly before =
    (answer: RequestListener): RequestListener =>
    (request, response) => {
      const isOverloaded = this.underWay >= this.bounds.crowd && (this.isLate || this.isRoundLate());
      const path = isOverloaded ? pathOf(request.url!) : '';
      if (!isOverloaded || ALWAYS_ANSWERED.has(path)) {
        this.underWay++;
        response.once('close', () => this.underWay--);
        return answer(request, response);
      }
      this.refused++;
      this.sources.metrics.requests.observe(REFUSED, 0);
      const id = requestIdOf(request.headers['x-request-id']);
      const { headers, body } = plainRefusal(REFUSAL, path, id, this.sources.config);
      response.writeHead(REFUSAL.status, headers).end(body);
      // Thousands of clients that retry at once would occupy the event loop.
      response.once('close', () => {
        request.socket.pause();
        setTimeout(() => request.socket.resume(), PAUSE_MS).unref();
      });
    };

  close(): void {
    clearInterval(this.looking);
    this.delay.disable();
  }
}
