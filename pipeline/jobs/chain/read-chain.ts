/**
 * Brings blocks to disk and folds holdings from them on the way, in a thread of its own: what it holds in memory, a state of
 * the whole chain, has its own limit there.
 */
import { existsSync } from 'node:fs';
import { Handover } from '../../chain/handover.js';
import { type IndexedHeights, type IndexOptions, indexBlocks } from '../../chain/index-blocks.js';
import { openSource } from '../../chain/nodes/open-source.js';
import { rawFolder } from '../../chain/raw-files.js';
import { Database } from '../../duckdb/database.js';
import { foldRange } from '../fold/fold-range.js';
import { dropLater, openFolder } from '../fold/holdings-folder.js';
import type { Circumstances } from '../run-jobs.js';

/** What is to be done. Plain data: it may cross threads. */
export interface ChainJob
  extends Pick<IndexOptions, 'dataDir' | 'nodeChainId' | 'indexStart' | 'from' | 'until' | 'stateHeight'> {
  readonly rpcUrls: readonly string[];
  /** Where the fold keeps what it found; undefined without a starting state. */
  readonly holdings: string | undefined;
}

/** Milliseconds between two words on how many blocks are fetched. */
const TOLD_EVERY_MS = 100;

/** What is known before all is done: one of its members at a time. */
export interface ChainNews {
  /** What the run is about. */
  readonly heights?: IndexedHeights;
  /** Blocks fetched so far, of how many. */
  readonly fetched?: readonly [done: number, total: number];
  /** All blocks are on disk. */
  readonly indexed?: IndexedHeights;
}

/**
 * @param circumstances.tell hears what is known as soon as it is
 * @throws ConfigError @throws BlockError @throws HoldingsError as indexBlocks and foldRange say; a fault of the fold does not
 * keep blocks from being fetched
 */
export async function readChain(job: ChainJob, { tell, signal }: Circumstances<ChainNews>): Promise<void> {
  const [target, source] = [await Database.open({ threads: 1 }), await Database.open({ threads: 1 })];
  const handover = new Handover(source, rawFolder(job.dataDir, job.nodeChainId), signal);
  let fold = Promise.resolve();
  let told = 0;
  const { holdings, rpcUrls, ...options } = job;
  const index = indexBlocks({
    ...options,
    source: openSource(rpcUrls),
    database: target,
    onHeights: (heights) => {
      tell({ heights });
      if (holdings !== undefined) fold = foldUpTo(holdings, heights, handover);
      fold.catch(() => {}); // it is told of when everything is fetched
    },
    onBlock: holdings === undefined ? undefined : (block) => handover.offer(block),
    onProgress: (done, total) => {
      signal.throwIfAborted();
      const now = performance.now();
      if (now - told < TOLD_EVERY_MS && done < total) return;
      told = now;
      tell({ fetched: [done, total] });
    },
  });
  try {
    const indexed = await index.finally(() => handover.end());
    tell({ indexed });
    await fold;
  } finally {
    await fold.catch(() => {});
    for (const database of [target, source]) database.close();
  }
}

async function foldUpTo(folder: string, { first, last }: IndexedHeights, handover: Handover): Promise<void> {
  try {
    if (last < first) return;
    dropLater(folder, last);
    if (!existsSync(openFolder(folder, last))) {
      await foldRange(folder, last, (height, until) => handover.blocks(height, until));
    }
  } finally {
    handover.close();
  }
}
