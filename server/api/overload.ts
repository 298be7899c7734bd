/**
 * Refuses new requests while the event loop is late and many requests are in progress. A late event loop alone is not
 * enough, because other programs may slow the machine.
 */
import type { RequestListener } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import type { RequestQueue } from '../http/connections.js';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { pathOf } from '../http/request-input.js';
import { requestIdOf } from './middleware/every-request.js';
import type { Metrics } from './middleware/metrics.js';
import { plainRefusal } from './parser-errors.js';

const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz', '/metrics']);

const REFUSAL = new Problem('unavailable', 'the server is overloaded: ask again later', { retryAfter: 5 });
const REFUSED = { route: 'none', status: '5xx', kept: 'no' };
const RESOLUTION_MS = 20;
const PAUSE_MS = 1000;

export interface OverloadBounds {
  /** The event loop is late if its mean delay exceeds this time. */
  readonly delayMs: number;
  /** New requests may be refused if at least this many requests are in progress. */
  readonly crowd: number;
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
  private refused = 0;

  constructor(
    private readonly sources: Sources,
    private readonly queue: RequestQueue,
    private readonly bounds = BOUNDS,
  ) {
    this.delay.enable();
    this.looking = setInterval(() => this.look(), bounds.everyMs).unref();
  }

  private look(): void {
    // Without samples the mean is NaN, which makes `isLate` false.
    this.isLate = this.delay.mean / 1e6 - RESOLUTION_MS > this.bounds.delayMs;
    this.delay.reset();
    if (this.refused > 0) this.sources.log.warn({ requests: this.refused }, 'overloaded: refused new requests');
    this.refused = 0;
  }

  /**
   * Refuses a request before it reaches the application and the log. A refusal by the application would take ten times
   * as long.
   */
  readonly before =
    (answer: RequestListener): RequestListener =>
    (request, response) => {
      const isOverloaded = this.queue.isOverloaded || (this.isLate && this.underWay >= this.bounds.crowd);
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
      // Keeps refused connections paused for a while. Otherwise thousands of retrying clients would occupy the event
      // loop.
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
