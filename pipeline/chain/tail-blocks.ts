/** Raw blocks followed as they arrive: the run that fetches them may still be under way. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../duckdb/database.js';
import type { FullBlock } from './block.js';
import type { IndexedHeights } from './index-blocks.js';
import { lastHeightOfRange, listRanges, settingAside } from './raw-files.js';
import { readBlocks } from './read-blocks.js';

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
