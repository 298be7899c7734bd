/**
 * Reads blocks while they are being fetched. The fold gets them over a bounded channel on its thread, so that each is
 * parsed once. Classification on other threads reads files as they appear.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../duckdb/database.js';
import type { FullBlock } from './block.js';
import type { IndexedHeights } from './index-blocks.js';
import { lastHeightOfRange, listRanges, type RawRange, rangeOf, setAsideFault, settingAside } from './raw-files.js';
import { readBlocks } from './read-blocks.js';

interface Offer {
  readonly block: FullBlock;
  readonly settle: () => void;
}

/**
 * An offer waits until the consumer takes it. If the consumer needs a block that is not on disk yet, the offer is
 * dropped, and the consumer reads that block from disk later.
 */
export class BlockChannel {
  private offered: Offer | undefined;
  private wake: (() => void) | undefined;
  private isOver = false;
  private isClosed = false;

  constructor(
    private readonly database: Database,
    private readonly rawFolder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Offers a fetched block. Resolves when the next one may be offered. */
  async offer(block: FullBlock): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((settle) => {
      this.offered = { block, settle };
      this.wake?.();
    });
  }

  /** Ends the offers. A block that is not on disk now never arrives. */
  end(): void {
    this.isOver = true;
    this.wake?.();
  }

  close(): void {
    this.isClosed = true;
    this.settleOffer();
  }

  /**
   * Yields the blocks first..last in ascending order.
   * @throws Error if a block never arrives
   */
  async *blocks(first: number, last: number): AsyncGenerator<FullBlock> {
    let inStep = false; // after an offer, the next block cannot be on disk
    for (let height = first; height <= last; ) {
      const { offered } = this;
      if (offered?.block.height === height) {
        this.settleOffer();
        inStep = true;
        yield offered.block;
        height++;
        continue;
      }
      const range = inStep && !offered && !this.isOver ? undefined : rangeOf(this.rawFolder, height);
      if (range) {
        inStep = false;
        const until = Math.min(range.to, last);
        for await (const block of settingAside(this.rawFolder, readBlocks(this.database, range, height, until))) {
          this.signal.throwIfAborted();
          yield block;
        }
        height = until + 1;
      } else {
        await this.nextOffer(height);
      }
    }
  }

  private async nextOffer(height: number): Promise<void> {
    this.settleOffer();
    // Another reader may have set a damaged file aside.
    if (this.isOver) throw setAsideFault(this.rawFolder, height) ?? new Error(`block ${height} never arrived`);
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = undefined;
  }

  private settleOffer(): void {
    const { offered } = this;
    this.offered = undefined;
    offered?.settle();
  }
}

/** Minimum poll interval. */
const POLL_MS = 20;
/** Multiplies the duration of a listing, which is 16 ms for 10,000 files, into the wait before the next one. */
const WAIT_PER_LISTING = 10;

export interface ArrivingBlocks extends IndexedHeights {
  readonly arrived: Promise<void>;
}

/** Yields the blocks first..last in ascending order, as soon as their files are complete. */
export async function* tailBlocks(
  database: Database,
  rawFolder: string,
  first: number,
  last: number,
  signal: AbortSignal,
): AsyncGenerator<FullBlock> {
  let ranges: readonly RawRange[] = [];
  let waitMs = 0;
  const list = () => {
    const began = performance.now();
    ranges = listRanges(rawFolder);
    waitMs = Math.max(POLL_MS, WAIT_PER_LISTING * (performance.now() - began));
  };
  list();
  for (let height = first; height <= last; ) {
    const needed = Math.min(lastHeightOfRange(height), last);
    const range = ranges.find(({ from, to }) => from <= height && to >= needed);
    if (range) {
      yield* settingAside(rawFolder, readBlocks(database, range, height, needed));
      height = needed + 1;
    } else {
      await wait(waitMs, undefined, { signal });
      list();
    }
  }
}
