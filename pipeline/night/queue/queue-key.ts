/**
 * Signs what the coordinator and its workers exchange, and checks these signatures. Whoever can write to the queue or to
 * the object store, but does not have the key, can then neither give jobs to workers nor results to the coordinator.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ListSigner } from '../../publish/store/dataset-store.js';

/** What a text is, so that the signature of one kind is not accepted for another. */
type Purpose = 'job' | 'result' | 'failure';

/** A text with its signature, as plain data. */
export interface Signed {
  readonly text: string;
  readonly signature: string;
}

export class QueueKey {
  private readonly key: Buffer;

  /**
   * @param digits HUBLEDGER_QUEUE_KEY, 64 hexadecimal digits
   * @param storeId id of the object store, which is part of each signature
   */
  constructor(
    digits: string,
    readonly storeId: string,
  ) {
    this.key = Buffer.from(digits, 'hex');
  }

  /** Returns the HMAC-SHA256 of a text as hexadecimal digits. */
  private sign(purpose: Purpose, text: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([purpose, this.storeId, text]))
      .digest('hex');
  }

  /** Signs the lists of files of jobs' results. */
  get listSigner(): ListSigner {
    return {
      sign: (text) => this.sign('result', text),
      isSigned: (text, signature) => this.isSigned('result', text, signature),
    };
  }

  signed(purpose: Purpose, text: string): Signed {
    return { text, signature: this.sign(purpose, text) };
  }

  /** Returns the text of a value that should be a Signed; undefined if the signature is missing or wrong. */
  textIn(purpose: Purpose, value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const { text, signature } = value as Partial<Signed>;
    return typeof text === 'string' && this.isSigned(purpose, text, signature) ? text : undefined;
  }

  private isSigned(purpose: Purpose, text: string, signature: unknown): boolean {
    if (typeof signature !== 'string') return false;
    const [given, right] = [Buffer.from(signature), Buffer.from(this.sign(purpose, text))];
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
