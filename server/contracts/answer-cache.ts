/** Answers of contracts, kept as long as they cannot be older than a block. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { COMPRESSION_THRESHOLD_BYTES, type Coding, compress } from '../http/content-coding.js';
import type { Question, Refusal } from './node-query.js';

const KEPT_BYTES = 64 * 1024 * 1024;
/** Milliseconds that an answer is kept, whatever happens. A smart query's goes as soon as a later block is seen. */
const KEPT_MS = { block: 6000, minute: 60_000 };
/** Roughly what an entry takes beside its body. */
const OVERHEAD_BYTES = 1024;

/** What is known of a question. */
export class ContractAnswer {
  /** Weak: with the height, and what it says. */
  readonly etag: string;
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  constructor(
    readonly body: Buffer,
    readonly refusal: Refusal | undefined,
    /** Of the block whose state answered; 0 when no node has said. */
    readonly height: number,
    /** The latest block that was known by then. */
    readonly seen: number,
  ) {
    this.etag = `W/"${height}.${hash('sha256', body, 'hex').slice(0, 16)}"`;
  }

  /** The body in a coding; compressed once for each. */
  async coded(wanted: Coding) {
    const coding = this.body.length < COMPRESSION_THRESHOLD_BYTES ? 'identity' : wanted;
    const bytes = this.compressed.get(coding) ?? compress(this.body, coding);
    this.compressed.set(coding, bytes);
    return { type: 'application/json; charset=utf-8', coding, bytes: await bytes };
  }
}

export class ContractAnswers {
  private readonly kept = new LRUCache<string, ContractAnswer>({ maxSize: KEPT_BYTES });
  private readonly asking = new Map<string, Promise<ContractAnswer>>();

  /**
   * The answer that is known, or the one that a node gives now; equal questions at one time are asked once.
   * @throws Problem
   */
  get(question: Question): Promise<ContractAnswer> | ContractAnswer {
    const { network, path, height } = question;
    const key = `${network.name} ${height ?? ''} ${path}`;
    const kept = this.kept.get(key);
    // Nobody waits for this look: it is how the next block comes to be seen.
    void network.look();
    if (kept && (question.kind !== 'smart' || height !== undefined || network.height <= kept.seen)) return kept;
    let asked = this.asking.get(key);
    if (!asked) {
      asked = this.ask(question, key).finally(() => this.asking.delete(key));
      this.asking.set(key, asked);
    }
    return asked;
  }

  private async ask(question: Question, key: string): Promise<ContractAnswer> {
    const { network, kind, height } = question;
    const before = network.height;
    const { body = Buffer.alloc(0), refusal, height: answered } = await network.ask(question);
    // A block that was seen meanwhile is later than the answer, unless that says otherwise.
    const seen = Math.max(before, Math.min(answered ?? network.height, network.height));
    const answer = new ContractAnswer(body, refusal, answered ?? network.height, seen);
    const ttl = kind === 'smart' && height === undefined ? KEPT_MS.block : KEPT_MS.minute;
    // Twice: as it came, and packed.
    const size = 2 * body.length + key.length + OVERHEAD_BYTES;
    if (!refusal?.elsewhere) this.kept.set(key, answer, { ttl: refusal ? KEPT_MS.block : ttl, size });
    return answer;
  }
}
