/**
 * Delivers blocks while the nightly run is still fetching them. The fold (which computes holdings block by block) gets
 * blocks from memory, so each block is parsed only once. Classification runs on other threads and reads files as soon
 * as they are complete.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../base/duckdb/database.js';
import type { FullBlock } from './block.js';
import type { IndexedHeights } from './index-blocks.js';
import { listRanges, type RawRange, rangeOf, setAsideFault, settingAside } from './raw-files.js';
import { readBlocks } from './read-blocks.js';

interface Offer {
  readonly block: FullBlock;
  readonly settle: () => void;
}

/**
 * A channel with space for a single block. The producer waits until the consumer takes the block. If the consumer is
 * waiting for another block, the offered block is dropped. The consumer later reads it from disk.
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

  async offer(block: FullBlock): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((settle) => {
      this.offered = { block, settle };
      this.wake?.();
    });
  }

  end(): void {
    this.isOver = true;
    this.wake?.();
  }

  close(): void {
    this.isClosed = true;
    this.settleOffer();
  }

  async *blocks(first: number, last: number): AsyncGenerator<FullBlock> {
    let inStep = false; // true if the last block came from the channel; the next block is then not on disk yet
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
    // The file may be missing because another reader renamed it as damaged.
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

const POLL_MS = 20;
/**
 * The pause between two listings of the folder is this many times the duration of a listing. Listing 10,000 files takes
 * 16 ms.
 */
const WAIT_PER_LISTING = 10;

export interface ArrivingBlocks extends IndexedHeights {
  readonly arrived: Promise<void>;
}

/**
 * Yields each range of heights, ascending, as soon as a complete file contains its blocks. The file is yielded with the
 * range.
 */
export async function* whenStored<Range extends Pick<RawRange, 'from' | 'to'>>(
  rawFolder: string,
  wanted: readonly Range[],
  signal: AbortSignal,
): AsyncGenerator<readonly [range: Range, path: string]> {
  let ranges: readonly RawRange[] = [];
  let place = 0;
  let waitMs = 0;
  const list = () => {
    const began = performance.now();
    ranges = listRanges(rawFolder);
    place = 0;
    waitMs = Math.max(POLL_MS, WAIT_PER_LISTING * (performance.now() - began));
  };
  list();
  for (const range of wanted) {
    for (;;) {
      signal.throwIfAborted();
      while (place < ranges.length && ranges[place]!.to < range.to) place++;
      const file = ranges[place];
      if (file && file.from <= range.from) {
        yield [range, file.path];
        break;
      }
      await wait(waitMs, undefined, { signal });
      list();
    }
  }
}
