/**
 * A bounded channel between two readers of one thread: blocks that are being fetched go straight to the fold, so that each is parsed
 * only once.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../duckdb/database.js';
import type { FullBlock } from './block.js';
import type { IndexedHeights } from './index-blocks.js';
import { lastHeightOfRange, listRanges, rangeOf, setAsideFault, settingAside } from './raw-files.js';
import { readBlocks } from './read-blocks.js';

interface Offer {
  readonly block: FullBlock;
  readonly settle: () => void;
}

/**
 * One side offers blocks as they come in, the other asks for blocks from a height on, and may ask anew for earlier ones. An
 * offer waits until it is taken, unless the other side needs a block that is still on its way to disk: then it is passed over,
 * and read from disk later.
 */
export class BlockChannel {
  private offered: Offer | undefined;
  /** Wakes who waits for an offer. */
  private wake: (() => void) | undefined;
  /** No more offers come. */
  private isOver = false;
  /** No more blocks are asked for. */
  private isClosed = false;

  /**
   * @param database a connection that reads nothing else meanwhile
   * @param rawFolder the folder with the blocks that are not offered
   * @param signal ends the reading of them when aborted
   */
  constructor(
    private readonly database: Database,
    private readonly rawFolder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Offers a block that was fetched. Resolves when the next one may come. */
  async offer(block: FullBlock): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((settle) => {
      this.offered = { block, settle };
      this.wake?.();
    });
  }

  /** Says that no more offers come: every block is on disk, or will never be. */
  end(): void {
    this.isOver = true;
    this.wake?.();
  }

  /** Says that no more blocks are needed: offers are passed over from now on. */
  close(): void {
    this.isClosed = true;
    this.settleOffer();
  }

  /**
   * Yields the blocks first..last in ascending order.
   * @throws BlockError when a transaction that succeeded is none, or a file was damaged @throws Error when a block never came
   */
  async *blocks(first: number, last: number): AsyncGenerator<FullBlock> {
    let inStep = false; // the last block was taken from an offer: what comes next cannot be on disk
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

  /** Waits for another offer. @param height the block that is needed: neither offered nor on disk */
  private async nextOffer(height: number): Promise<void> {
    this.settleOffer();
    // Another reader may have met a damaged file, and set it aside, when all blocks were on disk.
    if (this.isOver) throw setAsideFault(this.rawFolder, height) ?? new Error(`block ${height} never came`);
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

/** Milliseconds between two looks for a file that is still to come. */
const POLL_MS = 20;

/** Blocks that are being brought to disk: a channel, whose readers follow the files as they appear. */
export interface ArrivingBlocks extends IndexedHeights {
  /** Resolves when every block is on disk, rejects when one will never be. */
  readonly arrived: Promise<void>;
}

/**
 * Yields the blocks first..last in ascending order, each as soon as its file has all that this run brings. Waits for as long as it
 * takes.
 * @param signal ends the wait when aborted, by whoever knows that a file will never come
 * @throws BlockError when a transaction that succeeded is none
 */
export async function* tailBlocks(
  database: Database,
  rawFolder: string,
  first: number,
  last: number,
  signal: AbortSignal,
): AsyncGenerator<FullBlock> {
  let ranges = listRanges(rawFolder);
  for (let height = first; height <= last; ) {
    const needed = Math.min(lastHeightOfRange(height), last);
    const range = ranges.find(({ from, to }) => from <= height && to >= needed);
    if (range) {
      yield* settingAside(rawFolder, readBlocks(database, range, height, needed));
      height = needed + 1;
    } else {
      await wait(POLL_MS, undefined, { signal });
      ranges = listRanges(rawFolder);
    }
  }
}
