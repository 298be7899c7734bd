/**
 * Limits the concurrent contract queries of each IP address. Further queries wait. A rate limit alone is not enough,
 * because a few slow queries could occupy all connections to nodes.
 */
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';

const { ofAddress: UNDER_WAY_MAX } = LIMITS.nodes;
const RETRY_AFTER_SECONDS = 5;

interface Share {
  underWay: number;
  readonly waiting: Set<() => void>;
}

export class Shares {
  private readonly shares = new Map<string, Share>();

  constructor(private readonly waitMs = LIMITS.waits.question.max) {}

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
  new Problem('unavailable', `more than ${UNDER_WAY_MAX.max} queries of your address are in progress: retry later`, {
    retryAfter: RETRY_AFTER_SECONDS,
  });
