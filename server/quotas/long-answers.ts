/**
 * Long answers, those about wallets with many rows or to large bodies: a few at a time are made, fewer for one client, and others wait in a queue. Each
 * holds memory until it is read to its end, so that only their number bounds what a server needs.
 */
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';

const { answers } = LIMITS;
/** Seconds after which a client who found no place may ask again. */
const RETRY_AFTER_SECONDS = 10;

interface Waiting {
  readonly client: string;
  /** Takes a place, or is told that there is none. */
  readonly settle: (isAdmitted: boolean) => void;
}

export class LongAnswers {
  /** Number of answers that are being made, by client. */
  private readonly underWay = new Map<string, number>();
  private waiting: Waiting[] = [];

  /** @param waitMs time that a request waits for a place at the most */
  constructor(private readonly waitMs = LIMITS.waits.longAnswer.max) {}

  /**
   * Waits for a place. @returns leaves it again; to be called once
   * @throws Problem unavailable where no place is free in time, or too many wait already
   */
  async enter(client: string): Promise<() => void> {
    if (this.hasPlace(client)) this.take(client);
    else if (!(await this.wait(client))) {
      throw new Problem('unavailable', 'too many long answers are being made: ask again later, or for fewer wallets', {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    return () => this.leave(client);
  }

  private take(client: string): void {
    this.underWay.set(client, this.countOf(client) + 1);
  }

  private countOf(client: string): number {
    return this.underWay.get(client) ?? 0;
  }

  private hasPlace(client: string): boolean {
    const total = [...this.underWay.values()].reduce((sum, count) => sum + count, 0);
    return total < answers.long.max && this.countOf(client) < answers.longOfClient.max;
  }

  private wait(client: string): Promise<boolean> {
    const own = this.waiting.filter((other) => other.client === client).length;
    if (this.waiting.length >= answers.waiting.max || own >= answers.waitingOfClient.max) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), this.waitMs);
      const settle = (isAdmitted: boolean) => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((other) => other !== waiting);
        resolve(isAdmitted);
      };
      const waiting = { client, settle };
      this.waiting.push(waiting);
    });
  }

  private leave(client: string): void {
    const others = this.countOf(client) - 1;
    if (others > 0) this.underWay.set(client, others);
    else this.underWay.delete(client);
    const next = this.waiting.find((one) => this.hasPlace(one.client));
    if (!next) return;
    this.take(next.client); // at once, before another request finds the place free
    next.settle(true);
  }
}
