/**
 * Limits the number of long answers (large wallets, large request bodies, PDFs) in progress, in total and per client.
 * Further requests wait in a queue. If a client does not read its answer, its slot becomes free, but the answer still
 * takes memory. If too many clients do this, the slowest one is disconnected.
 */
import type { Socket } from 'node:net';
import { clientLeft } from '../../http/connections.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';

const { answers } = LIMITS;
const RETRY_AFTER_SECONDS = 10;
/**
 * Interval at which slots are checked. A slot also becomes free when a client stops reading, and no event reports this.
 */
const POLL_MS = 100;
/** Added to each client's number of bytes, so that a new client does not count as the slowest. */
const CREDIT_BYTES = 64 * 1024;

export type Reader = Pick<
  Socket,
  'bytesWritten' | 'writableLength' | 'writableNeedDrain' | 'destroyed' | 'destroy' | 'once' | 'off'
>;

interface Asked {
  readonly client: string;
  readonly reader: Reader;
  /** Size of the answer if it is already in memory, otherwise 0. */
  readonly bytes: number;
}

class LongAnswer {
  private readonly began = performance.now();
  private readonly before: number;
  readonly client: string;
  readonly reader: Reader;

  constructor({ client, reader }: Asked) {
    this.client = client;
    this.reader = reader;
    this.before = this.taken;
  }

  private get taken(): number {
    return this.reader.bytesWritten - this.reader.writableLength;
  }

  get isUnread(): boolean {
    return this.reader.writableNeedDrain;
  }

  get speed(): number {
    return (CREDIT_BYTES + this.taken - this.before) / (performance.now() - this.began);
  }
}

interface Waiting extends Asked {
  readonly settle: (answer: LongAnswer | undefined) => void;
}

export class LongAnswers {
  private readonly underWay = new Set<LongAnswer>();
  private waiting: Waiting[] = [];
  private looking: NodeJS.Timeout | undefined;

  constructor(private readonly waitMs = LIMITS.waits.longAnswer.max) {}

  /** Waits for a free slot. @returns a function that releases the slot */
  async enter(client: string, reader: Reader, bytes = 0): Promise<() => void> {
    const asked = { client, reader, bytes };
    const answer = this.take(asked) ?? (await this.wait(asked));
    if (answer) return () => this.leave(answer);
    if (reader.destroyed) throw clientLeft();
    throw new Problem('unavailable', 'too many long answers are in progress: retry later, or request fewer wallets', {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }

  private take(asked: Asked): LongAnswer | undefined {
    const others = [...this.underWay];
    const unread = others.filter(({ isUnread }) => isUnread);
    const own = others.filter(({ client }) => client === asked.client);
    if (others.length - unread.length >= answers.long.max || own.length >= answers.longOfClient.max) return undefined;
    if (unread.length >= answers.unread.max) this.end(unread.reduce((a, b) => (b.speed < a.speed ? b : a)));
    const answer = new LongAnswer(asked);
    this.underWay.add(answer);
    return answer;
  }

  private end(answer: LongAnswer): void {
    this.underWay.delete(answer);
    answer.reader.destroy();
  }

  private wait(asked: Asked): Promise<LongAnswer | undefined> {
    const own = this.waiting.filter(({ client }) => client === asked.client).length;
    const bytes = this.waiting.reduce((sum, other) => sum + other.bytes, asked.bytes);
    const isFull =
      this.waiting.length >= answers.waiting.max ||
      own >= answers.waitingOfClient.max ||
      bytes > answers.waitingBytes.max;
    if (isFull || asked.reader.destroyed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = () => settle(undefined);
      const timer = setTimeout(giveUp, this.waitMs);
      asked.reader.once('close', giveUp);
      const settle = (answer: LongAnswer | undefined) => {
        clearTimeout(timer);
        asked.reader.off('close', giveUp);
        this.waiting = this.waiting.filter((other) => other !== waiting);
        if (this.waiting.length === 0) this.stopLooking();
        resolve(answer);
      };
      const waiting = { ...asked, settle };
      this.waiting.push(waiting);
      this.looking ??= setInterval(() => this.admit(), POLL_MS);
    });
  }

  private stopLooking(): void {
    clearInterval(this.looking);
    this.looking = undefined;
  }

  private leave(answer: LongAnswer): void {
    this.underWay.delete(answer);
    this.admit();
  }

  private admit(): void {
    for (const waiting of this.waiting) {
      const answer = this.take(waiting);
      if (answer) waiting.settle(answer);
    }
  }
}
