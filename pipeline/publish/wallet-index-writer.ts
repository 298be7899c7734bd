/** Writes the wallet index, which answers a wallet's request in one step: keys and texts as wallet-index/events-format.ts says. */
import { mkdirSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import { ConfigError } from '../config-error.js';
import { storedEventList } from '../reports/event-list.js';
import type { RowContext } from '../reports/event-row.js';
import {
  type Extent,
  eventsOf,
  INDEX_OPTIONS,
  SEGMENT_ROWS,
  STORED_ANSWER_ROWS,
  segmentText,
  walletKey,
} from '../wallet-index/events-format.js';
import { makeReaders } from '../wallet-index/open-index.js';
import type { WalletBatch } from './wallet-batches.js';

const compress = promisify(gzip);
/** Answers compressed at a time, on the threads beside this one. */
const COMPRESSIONS_MAX = 4;
/** Tells errors of LMDB: that a commit failed, and why. */
const isWriteError = (error: unknown): boolean =>
  error instanceof Error && ('commitError' in error || ('code' in error && typeof error.code === 'number'));

/** Characters that wait to be written, at the most. */
const UNWRITTEN_CHARACTERS_MAX = 16_000_000;

/** The rows of one wallet on their way in; no more of them are held than a stored answer may have. */
interface OpenWallet {
  segments: number;
  rows: number;
  /** The first row and the last one so far. */
  ends: [string, string] | undefined;
  /** Rows of the segment that is filling. */
  filling: string[];
  /** Every row of the wallet, while they are few enough for a stored answer. */
  kept: string[] | undefined;
}

const emptyWallet = (): OpenWallet => ({ segments: 0, rows: 0, ends: undefined, filling: [], kept: [] });

function extentOf(address: string, { rows, segments }: OpenWallet, ends: [string, string]): Extent {
  const [first, last] = eventsOf(address, ends).map(({ time }) => time) as [string, string];
  return { rows, segments, first, last };
}

export class WalletIndexWriter {
  private readonly environment: RootDatabase<Buffer>;
  private readonly compressing = new Set<Promise<void>>();
  private wallet = emptyWallet();
  private unwritten = 0;
  private hasFailed = false;

  /**
   * @param folder is made; not synced here but as a whole, before it gets its name
   * @throws Error where it cannot be written
   */
  constructor(
    private readonly folder: string,
    private readonly context: RowContext,
  ) {
    mkdirSync(folder, { recursive: true });
    makeReaders(folder);
    this.environment = open({ path: folder, ...INDEX_OPTIONS, noSync: true });
    process.on('unhandledRejection', this.hear);
  }

  /** Takes the next batch; a wallet's last batch brings its extent and its stored answer. */
  async add({ address, opening, rows, last }: WalletBatch): Promise<void> {
    const { wallet } = this;
    if (opening !== undefined) await this.put(walletKey.opening(address), opening);
    wallet.rows += rows.length;
    if (wallet.rows > STORED_ANSWER_ROWS) wallet.kept = undefined;
    const [first, end] = [rows[0], rows.at(-1)];
    if (first !== undefined && end !== undefined) wallet.ends = [wallet.ends?.[0] ?? first, end];
    for (const row of rows) {
      wallet.kept?.push(row);
      if (wallet.filling.push(row) === SEGMENT_ROWS) await this.putSegment(address);
    }
    if (!last || !wallet.ends) return;
    if (wallet.filling.length > 0) await this.putSegment(address);
    await this.put(walletKey.extent(address), JSON.stringify(extentOf(address, wallet, wallet.ends)));
    if (wallet.kept && !this.environment.doesExist(walletKey.flagged(address)))
      await this.putAnswer(address, wallet.kept);
    this.wallet = emptyWallet();
  }

  /** @throws ConfigError where something that was taken could not be written */
  async close(): Promise<void> {
    await Promise.all(this.compressing);
    await this.environment.flushed.then(undefined, this.fail);
    await this.environment.close();
    await nextRound();
    process.off('unhandledRejection', this.hear);
    this.requireWritten();
  }

  /** Takes a text. Waits when much of what was taken is not written yet. @throws ConfigError where something before could not be written */
  async put(key: (string | number)[], text: string): Promise<void> {
    this.requireWritten();
    const written = this.write(key, Buffer.from(text));
    this.unwritten += text.length;
    if (this.unwritten < UNWRITTEN_CHARACTERS_MAX) return;
    this.unwritten = 0;
    await written;
  }

  /** Resolves when everything that was taken can be read. @throws ConfigError where something could not be written */
  async committed(): Promise<void> {
    await this.environment.committed.then(undefined, this.fail);
    this.requireWritten();
  }

  /** Writes a value. What fails is told by the next call: the failure of a write that nobody waits for would end the process. */
  private async write(key: (string | number)[], value: Buffer): Promise<void> {
    await this.environment.put(key, value).catch(this.fail);
  }

  private readonly fail = (): void => {
    this.hasFailed = true;
  };

  /** Hears of promises that LMDB gives to nobody, as that of a batch of writes: one that is rejected would end the process. */
  private readonly hear = (error: unknown): void => {
    if (!isWriteError(error)) throw error;
    this.fail();
  };

  private requireWritten(): void {
    if (this.hasFailed) throw new ConfigError(`${this.folder} cannot be written: its disk is full, or fails`);
  }

  private async putSegment(address: string): Promise<void> {
    const { wallet } = this;
    const segment = segmentText(wallet.filling);
    wallet.filling = [];
    await this.put(walletKey.segment(address, wallet.segments++), segment);
  }

  private async putAnswer(address: string, rows: readonly string[]): Promise<void> {
    const events = eventsOf(address, rows);
    const text = storedEventList(events, this.context);
    const answer = compress(text, { level: 6 }).then((body) => {
      void this.write(walletKey.events(address), body);
      this.compressing.delete(answer);
    });
    this.compressing.add(answer);
    if (this.compressing.size >= COMPRESSIONS_MAX) await Promise.race(this.compressing);
  }
}
