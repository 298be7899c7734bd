/** Counts of requests in Redis or Valkey, for all servers that share it. */
import { Redis } from 'ioredis';

/** Longest time in milliseconds that a request waits for an answer of Redis. */
const PATIENCE_MS = 500;

/** Buckets over their quota that are remembered here; the others cost a look in Redis again. */
const MOST_REFUSED = 10_000;

/** ARGV[1] = milliseconds of a window, which begins with the first charge; ARGV[1 + i] = requests charged to KEYS[i]. */
const CHARGE = `
local counts = {}
for i, bucket in ipairs(KEYS) do
  local charged = redis.call('INCRBY', bucket, ARGV[1 + i])
  local left = redis.call('PTTL', bucket)
  if left < 0 then
    redis.call('PEXPIRE', bucket, ARGV[1])
    left = tonumber(ARGV[1])
  end
  counts[2 * i - 1] = charged
  counts[2 * i] = left
end
return counts`;

/** Where a bucket stands after a request: the requests of its window, this one among them, and the milliseconds left. */
export interface Count {
  readonly charged: number;
  readonly left: number;
}

interface Waiting {
  resolve(count: Count): void;
  reject(reason: unknown): void;
}

type Charge = { charge(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

/**
 * All that is charged in one turn of the event loop goes out in one command, because a round trip for each request costs
 * more than the rest of a small answer.
 */
export class SharedCounter {
  private readonly redis: Redis & Charge;
  private readonly refused = new Map<string, number>();
  private waiting = new Map<string, Waiting[]>();
  private underWay = false;

  /** @param url redis: or rediss: (TLS), with name, password and number of the database where needed */
  constructor(
    url: string,
    private readonly windowMilliseconds: number,
  ) {
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      // While it is down every request hears so at once; the connection comes back by itself.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    }) as Redis & Charge;
    this.redis.defineCommand('charge', { lua: CHARGE });
    this.redis.on('error', () => {}); // whoever charges hears of it
  }

  /** Resolves when it is connected, or cannot be for now. */
  async open(): Promise<void> {
    await this.redis.connect().catch(() => undefined);
  }

  close(): void {
    this.redis.disconnect();
  }

  /**
   * Charges one request to a bucket. One that is over its quota costs Redis nothing more until its window ends.
   * @throws Error when Redis does not count
   */
  charge(bucket: string, quota: number): Promise<Count> {
    const left = (this.refused.get(bucket) ?? 0) - Date.now();
    if (left > 0) return Promise.resolve({ charged: quota + 1, left });
    if (this.redis.status !== 'ready') return Promise.reject(new Error(`Redis is not there: ${this.redis.status}`));
    const counted = new Promise<Count>((resolve, reject) => {
      if (this.waiting.size === 0 && !this.underWay) setImmediate(() => this.send());
      const others = this.waiting.get(bucket);
      if (others) others.push({ resolve, reject });
      else this.waiting.set(bucket, [{ resolve, reject }]);
    });
    return counted.then((count) => this.noted(bucket, quota, count));
  }

  private async send(): Promise<void> {
    this.underWay = true;
    const sent = this.waiting;
    this.waiting = new Map();
    const requests = [...sent.values()];
    try {
      const numbers = requests.map(({ length }) => length);
      const counts = await this.redis.charge(sent.size, ...sent.keys(), this.windowMilliseconds, ...numbers);
      requests.forEach((waiting, i) => {
        const before = counts[2 * i]! - waiting.length;
        waiting.forEach(({ resolve }, n) => {
          resolve({ charged: before + n + 1, left: counts[2 * i + 1]! });
        });
      });
    } catch (error) {
      for (const { reject } of requests.flat()) reject(error);
    }
    this.underWay = false;
    if (this.waiting.size > 0) setImmediate(() => this.send());
  }

  private noted(bucket: string, quota: number, count: Count): Count {
    if (count.charged > quota) {
      if (this.refused.size >= MOST_REFUSED) this.refused.clear();
      this.refused.set(bucket, Date.now() + count.left);
    }
    return count;
  }
}
