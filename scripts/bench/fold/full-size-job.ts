/** Jobs of full size: a starting state is loaded, or generated blocks are folded, as in a night; each tells how much heap it takes. */
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { FullBlock } from '../../../pipeline/chain/block.js';
import { foldRange } from '../../../pipeline/jobs/fold/fold-range.js';
import { makeStart, type StartJob } from '../../../pipeline/jobs/fold/make-start.js';
import type { JobContext } from '../../../pipeline/jobs/run-jobs.js';
import { GeneratedChain } from './generated-chain.js';
import { FIRST_HEIGHT, type Size } from './generated-size.js';

/** A starting state to load, or blocks to fold from it. */
export type FullSizeJob = StartJob | { readonly folder: string; readonly size: Size; readonly blocks: number };

/** MiB of heap in use. */
export type HeapReport = number;

const REPORT_INTERVAL_MS = 50;
const BLOCKS_AT_A_TIME = 50;

async function* generated(size: Size, blocks: number, tick: () => void): AsyncGenerator<FullBlock> {
  const chain = new GeneratedChain(size);
  for (let i = 0; i < blocks; i++) {
    if (i % BLOCKS_AT_A_TIME === 0) {
      tick();
      await setImmediate(); // as a night waits for each file
    }
    // A night's blocks are parsed text, whose strings cost more than those that were just put together.
    yield JSON.parse(JSON.stringify(chain.nextBlock()));
  }
}

export async function runFullSize(job: FullSizeJob, { report }: JobContext<HeapReport>): Promise<void> {
  const tick = () => report(getHeapStatistics().used_heap_size / 2 ** 20);
  const timer = setInterval(tick, REPORT_INTERVAL_MS);
  try {
    if ('source' in job) return await makeStart(job);
    const { folder, size, blocks } = job;
    await foldRange(folder, FIRST_HEIGHT + blocks, () => generated(size, blocks, tick), {
      upgrades: [],
      corrections: [],
    });
  } finally {
    clearInterval(timer);
    tick();
  }
}
