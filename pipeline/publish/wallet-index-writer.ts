/** Writes the wallet index (keys and formats: wallet-index/events-format.ts), so that a request needs one lookup. */
import { mkdirSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import { ConfigError } from '../config-error.js';
import {
  type Extent,
  eventsOf,
  INDEX_OPTIONS,
  SEGMENT_ROWS,
  segmentText,
  walletKey,
} from '../wallet-index/events-format.js';
import { makeReaders } from '../wallet-index/open-index.js';
import type { WalletBatch } from './wallet-batches.js';

const isWriteError = (error: unknown): boolean =>
  error instanceof Error && ('commitError' in error || ('code' in error && typeof error.code === 'number'));

const UNWRITTEN_CHARACTERS_MAX = 16_000_000;

interface OpenWallet {
  segments: number;
  rows: number;
  ends: [string, string] | undefined;
  filling: string[];
}

const emptyWallet = (): OpenWallet => ({ segments: 0, rows: 0, ends: undefined, filling: [] });

function extentOf(address: string, { rows, segments }: OpenWallet, ends: [string, string]): Extent {
  const [first, last] = eventsOf(address, ends).map(({ time }) => time) as [string, string];
  return { rows, segments, first, last };
}

export class WalletIndexWriter {
  private readonly environment: RootDatabase<Buffer>;
  private wallet = emptyWallet();
  private unwritten = 0;
  private hasFailed = false;

  /**
   * @param folder created here; synced as a whole by the caller
   * @throws Error if it cannot be written
   */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    makeReaders(folder);
    this.environment = open({ path: folder, ...INDEX_OPTIONS, noSync: true });
    process.on('unhandledRejection', this.onRejection);
  }

  /** Adds a batch. The last batch of a wallet also adds its extent. */
  async add({ address, opening, rows, last }: WalletBatch): Promise<void> {
    const { wallet } = this;
    if (opening !== undefined) await this.put(walletKey.opening(address), opening);
    wallet.rows += rows.length;
    const [first, end] = [rows[0], rows.at(-1)];
    if (first !== undefined && end !== undefined) wallet.ends = [wallet.ends?.[0] ?? first, end];
    for (const row of rows) {
      if (wallet.filling.push(row) === SEGMENT_ROWS) await this.putSegment(address);
    }
    if (!last || !wallet.ends) return;
    if (wallet.filling.length > 0) await this.putSegment(address);
    await this.put(walletKey.extent(address), JSON.stringify(extentOf(address, wallet, wallet.ends)));
    this.wallet = emptyWallet();
  }

  /** @throws ConfigError if a write failed */
  async close(): Promise<void> {
    await this.environment.flushed.then(undefined, this.fail);
    await this.environment.close();
    await nextRound();
    process.off('unhandledRejection', this.onRejection);
    this.requireWritten();
  }

  /**
   * Adds a text. Waits if too much is unwritten.
   * @throws ConfigError if an earlier write failed
   */
  async put(key: (string | number)[], text: string): Promise<void> {
    this.requireWritten();
    const written = this.write(key, Buffer.from(text));
    this.unwritten += text.length;
    if (this.unwritten < UNWRITTEN_CHARACTERS_MAX) return;
    this.unwritten = 0;
    await written;
  }

  /**
   * Waits until everything is readable.
   * @throws ConfigError if a write failed
   */
  async committed(): Promise<void> {
    await this.environment.committed.then(undefined, this.fail);
    this.requireWritten();
  }

  /** Remembers a failure for the next call; an unhandled rejection would end the process. */
  private async write(key: (string | number)[], value: Buffer): Promise<void> {
    await this.environment.put(key, value).catch(this.fail);
  }

  private readonly fail = (): void => {
    this.hasFailed = true;
  };

  /** Handles rejections of LMDB's internal promises, which would end the process. */
  private readonly onRejection = (error: unknown): void => {
    if (!isWriteError(error)) throw error;
    this.fail();
  };

  private requireWritten(): void {
    if (this.hasFailed) throw new ConfigError(`${this.folder} cannot be written: the disk is full or failing`);
  }

  private async putSegment(address: string): Promise<void> {
    const { wallet } = this;
    const segment = segmentText(wallet.filling);
    wallet.filling = [];
    await this.put(walletKey.segment(address, wallet.segments++), segment);
  }
}
