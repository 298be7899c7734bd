import { join } from 'node:path';
import type { CountryRules } from '../../../../schemas/types.generated.js';
import { unfinished } from '../../../base/disk/atomic-files.js';
import { Database } from '../../../base/duckdb/database.js';
import { EdgeCalendar } from '../../../base/values/edges.js';
import { BlockChannel } from '../../../chain/block-channel.js';
import { type IndexedHeights, type IndexOptions, indexBlocks } from '../../../chain/index-blocks.js';
import { openSource } from '../../../chain/nodes/open-source.js';
import { rawFolder } from '../../../chain/raw-files.js';
import type { NodeHeaders } from '../../../config.js';
import type { UpgradePlan } from '../../../holdings/state.js';
import type { ReviewedChanges } from '../../../holdings/state-changes.js';
import { foldRange } from '../fold/fold-range.js';
import { type FoldSettings, HoldingsFolder } from '../fold/holdings-folder.js';
import type { JobContext } from '../threads.js';

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
  readonly nodeHeaders: NodeHeaders;
  readonly now: number;
  readonly holdings: string | undefined;
  readonly reviewed: ReviewedChanges;
  readonly countries: readonly CountryRules[];
  /** Edges besides the starts of tax years, in nanoseconds since 1970. */
  readonly edges: readonly bigint[];
}

const REPORT_INTERVAL_MS = 100;

/** A progress message. Each message contains only one of the members. */
export interface ChainProgress {
  readonly heights?: IndexedHeights;
  /** Path of a damaged block file, whose blocks are fetched again. */
  readonly damaged?: string;
  /** Path of a damaged file with holdings. Holdings are computed again from its first block on. */
  readonly damagedHoldings?: string;
  readonly uncompared?: number;
  readonly fetched?: readonly [done: number, total: number];
  readonly isIndexed?: true;
  readonly unknownUpgrade?: UpgradePlan;
}

/**
 * Downloads blocks, and computes holdings from them (the fold). Runs on a separate thread, because the fold needs its
 * own memory limit. An error of the fold does not stop the download.
 * @throws ConfigError or BlockError (see indexBlocks)
 */
export async function readChain(job: ChainJob, { report, signal }: JobContext<ChainProgress>): Promise<void> {
  const open = (name: string) => Database.open(unfinished(join(job.dataDir, `${name}-spill`)), { threads: 1 });
  const [target, source] = [await open('index'), await open('blocks')];
  const channel = new BlockChannel(source, rawFolder(job.dataDir, job.nodeChainId), signal);
  let fold = Promise.resolve();
  let [reported, uncompared] = [0, 0];
  const { holdings, rpcUrls, nodeHeaders, reviewed, countries, edges, now, ...options } = job;
  const settings = { reviewed, edges: new EdgeCalendar(countries, edges) };
  const index = indexBlocks({
    ...options,
    source: openSource(rpcUrls, { crossCheck: job.crossCheck, headers: nodeHeaders }),
    now: () => Math.max(Date.now(), now),
    database: target,
    onHeights: (heights) => {
      report({ heights });
      if (holdings !== undefined) fold = foldUpTo(new HoldingsFolder(holdings), heights, channel, settings, report);
      fold.catch(() => {}); // avoids an unhandled rejection; the error is thrown by `await fold` below
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
  folder: HoldingsFolder,
  { last }: IndexedHeights,
  channel: BlockChannel,
  settings: FoldSettings,
  report: (progress: ChainProgress) => void,
): Promise<void> {
  try {
    if (last <= folder.readStart()!.height) return;
    for (const damagedHoldings of await folder.dropDamaged()) report({ damagedHoldings });
    folder.dropOutdated(settings);
    folder.dropLater(last);
    if (folder.end(last)) return;
    const blocks = (height: number, until: number) => channel.blocks(height, until);
    const unknownUpgrade = await foldRange(folder, last, blocks, settings);
    if (unknownUpgrade) report({ unknownUpgrade });
  } finally {
    channel.close();
  }
}
