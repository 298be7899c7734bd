/**
 * Long answers, those about wallets with many rows, to large bodies or as PDF: a few at a time are made, fewer for one client, and others wait in a
 * queue. One that waits for its reader is not being made, and leaves its place to the next; but it holds memory until it is read to its
 * end, so that of too many such the slowest reader's connection ends.
 */
import type { Socket } from 'node:net';
import { clientLeft } from '../http/connections.js';
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';

const { answers } = LIMITS;
/** Seconds after which a client who found no place may ask again. */
const RETRY_AFTER_SECONDS = 10;
/** Time between two looks for places that readers have left. */
const LOOK_MS = 100;
/** Bytes that each reader is credited with at first: who has only begun to read is not the slowest. */
const CREDIT_BYTES = 64 * 1024;

/** The connection that an answer goes out on. */
export type Reader = Pick<
  Socket,
  'bytesWritten' | 'writableLength' | 'writableNeedDrain' | 'destroyed' | 'destroy' | 'once' | 'off'
>;

interface Asked {
  readonly client: string;
  readonly reader: Reader;
  /** Bytes that are held for the answer already. */
  readonly bytes: number;
}

/** A long answer that has a place. */
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

  /** Bytes a millisecond that its reader has taken. */
  get speed(): number {
    return (CREDIT_BYTES + this.taken - this.before) / (performance.now() - this.began);
  }
}

interface Waiting extends Asked {
  /** Gives a place, or says that there is none. */
  readonly settle: (answer: LongAnswer | undefined) => void;
}

export class LongAnswers {
  private readonly underWay = new Set<LongAnswer>();
  private waiting: Waiting[] = [];
  private looking: NodeJS.Timeout | undefined;

  /** @param waitMs time that a request waits for a place at the most */
  constructor(private readonly waitMs = LIMITS.waits.longAnswer.max) {}

  /**
   * Waits for a place. @returns leaves it again; to be called once
   * @param bytes of the answer where it is made already
   * @throws Problem unavailable where no place is free in time, or too many wait already; an error of a client that has left
   */
  async enter(client: string, reader: Reader, bytes = 0): Promise<() => void> {
    const asked = { client, reader, bytes };
    const answer = this.take(asked) ?? (await this.wait(asked));
    if (answer) return () => this.leave(answer);
    if (reader.destroyed) throw clientLeft();
    throw new Problem('unavailable', 'too many long answers are being made: ask again later, or for fewer wallets', {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }

  /** Takes a place where there is one; too slow a reader makes room for it. */
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
      this.looking ??= setInterval(() => this.admit(), LOOK_MS);
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

  /** Gives free places to those who wait, at once: before another request finds them free. */
  private admit(): void {
    for (const waiting of this.waiting) {
      const answer = this.take(waiting);
      if (answer) waiting.settle(answer);
    }
  }
}
