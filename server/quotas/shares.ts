/**
 * Shares of the nodes that answer contract queries: a few questions of one address are under way at a time, and its others wait for their
 * turn. A node has some dozens of connections, and a quota by the minute says nothing of how long each question holds one.
 */
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';

const { ofAddress: UNDER_WAY_MAX } = LIMITS.nodes;
/** Seconds after which an address whose turn did not come may ask again. */
const RETRY_AFTER_SECONDS = 5;

/** The questions of one address. */
interface Share {
  underWay: number;
  /** Begins those that wait, the first one first. */
  readonly waiting: Set<() => void>;
}

export class Shares {
  private readonly shares = new Map<string, Share>();

  /** @param waitMs time that a question waits for its turn at the most */
  constructor(private readonly waitMs = LIMITS.waits.question.max) {}

  /** Does the work when it is the address's turn. @throws Problem unavailable where that does not come in time, and what the work throws */
  async run<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const share = this.shares.get(address) ?? { underWay: 0, waiting: new Set() };
    this.shares.set(address, share);
    if (share.underWay < UNDER_WAY_MAX.max) share.underWay++;
    else await this.wait(share);
    try {
      return await work();
    } finally {
      this.leave(address, share);
    }
  }

  /** Waits until another question of the address leaves its place to this one. */
  private wait({ waiting }: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(tooMany());
      }, this.waitMs);
      waiting.add(begin);
    });
  }

  private leave(address: string, share: Share): void {
    const [next] = share.waiting;
    if (next) next();
    else if (--share.underWay === 0) this.shares.delete(address);
  }
}

const tooMany = () =>
  new Problem('unavailable', `more than ${UNDER_WAY_MAX.max} questions of your address are waiting for nodes`, {
    retryAfter: RETRY_AFTER_SECONDS,
  });
