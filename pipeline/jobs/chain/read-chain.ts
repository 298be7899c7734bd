/**
 * Brings blocks to disk and folds holdings from them on the way, in a thread of its own: what it holds in memory, a state of
 * the whole chain, has its own limit there.
 */
import { join } from 'node:path';
import { BlockChannel } from '../../chain/block-channel.js';
import { type IndexedHeights, type IndexOptions, indexBlocks } from '../../chain/index-blocks.js';
import { openSource } from '../../chain/nodes/open-source.js';
import { rawFolder } from '../../chain/raw-files.js';
import { unfinished } from '../../disk/atomic-files.js';
import { Database } from '../../duckdb/database.js';
import type { UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';
import { foldRange } from '../fold/fold-range.js';
import { dropDamaged, dropLater, dropOutdated, foldEnd, readStart } from '../fold/holdings-folder.js';
import type { JobContext } from '../run-jobs.js';

/** A run over a chain. It is plain data, and may cross threads. */
export interface ChainJob
  extends Pick<
    IndexOptions,
    | 'dataDir'
    | 'nodeChainId'
    | 'indexStart'
    | 'isDefaultStart'
    | 'tipDistance'
    | 'from'
    | 'until'
    | 'stateHeight'
    | 'crossCheck'
  > {
  readonly rpcUrls: readonly string[];
  /** The instant that the night counts as now, in milliseconds since the epoch. */
  readonly now: number;
  /** Folder in which the fold keeps what it found; undefined without a starting state. */
  readonly holdings: string | undefined;
  /** Reviewed changes that no event tells. */
  readonly reviewed: ReviewedChanges;
}

/** Milliseconds between two reports of how many blocks are fetched. */
const REPORT_INTERVAL_MS = 100;

/** A report of what is known before all is done: it has one of these members. */
export interface ChainProgress {
  /** The heights that the run is about. */
  readonly heights?: IndexedHeights;
  /** Path of a file of blocks that was damaged, and is fetched anew. */
  readonly damaged?: string;
  /** Path of a file of holdings that was damaged: they are folded anew from there. */
  readonly damagedHoldings?: string;
  /** Heights of the cross-check about which no second node answered. */
  readonly uncompared?: number;
  /** Blocks fetched so far, and how many there are to fetch. */
  readonly fetched?: readonly [done: number, total: number];
  /** Says that all blocks are on disk. */
  readonly isIndexed?: true;
  /** An upgrade to come that nobody has reviewed. */
  readonly unknownUpgrade?: UpgradePlan;
}

/**
 * Indexes the chain and folds it; without a starting state it only indexes.
 * @throws ConfigError @throws BlockError as indexBlocks says; a fault of the fold does not keep blocks from being fetched
 */
export async function readChain(job: ChainJob, { report, signal }: JobContext<ChainProgress>): Promise<void> {
  const open = (name: string) => Database.open(unfinished(join(job.dataDir, `${name}-spill`)), { threads: 1 });
  const [target, source] = [await open('index'), await open('blocks')];
  const channel = new BlockChannel(source, rawFolder(job.dataDir, job.nodeChainId), signal);
  let fold = Promise.resolve();
  let [reported, uncompared] = [0, 0];
  const { holdings, rpcUrls, reviewed, now, ...options } = job;
  const index = indexBlocks({
    ...options,
    source: openSource(rpcUrls, job.crossCheck),
    now: () => Math.max(Date.now(), now), // a demonstration's clock may stand still, in the future too
    database: target,
    onHeights: (heights) => {
      report({ heights });
      if (holdings !== undefined) fold = foldUpTo(holdings, heights, channel, reviewed, report);
      fold.catch(() => {}); // it is reported when everything is fetched
    },
    onUncompared: () => {
      uncompared++;
    },
    onDamaged: (damaged) => report({ damaged }),
    onBlock: holdings === undefined ? undefined : (block) => channel.offer(block),
    onProgress: (done, total) => {
      signal.throwIfAborted();
      const now = performance.now();
      if (now - reported < REPORT_INTERVAL_MS && done < total) return;
      reported = now;
      report({ fetched: [done, total] });
    },
  });
  try {
    await index.finally(() => channel.end());
    if (uncompared > 0) report({ uncompared });
    report({ isIndexed: true });
    await fold;
  } finally {
    await fold.catch(() => {});
    for (const database of [target, source]) database.close();
  }
}

async function foldUpTo(
  folder: string,
  { last }: IndexedHeights,
  channel: BlockChannel,
  reviewed: ReviewedChanges,
  report: (progress: ChainProgress) => void,
): Promise<void> {
  try {
    if (last <= readStart(folder)!.height) return; // the state is later than every block
    for (const damagedHoldings of await dropDamaged(folder)) report({ damagedHoldings });
    dropOutdated(folder, reviewed);
    dropLater(folder, last);
    if (foldEnd(folder, last)) return;
    const blocks = (height: number, until: number) => channel.blocks(height, until);
    const unknownUpgrade = await foldRange(folder, last, blocks, reviewed);
    if (unknownUpgrade) report({ unknownUpgrade });
  } finally {
    channel.close();
  }
}
