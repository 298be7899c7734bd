/** The step that brings blocks to disk and says which of them the dataset spans. */
import type { IndexedHeights } from '../chain/index-blocks.js';
import { listRanges, rawFolder } from '../chain/raw-files.js';
import { ConfigError } from '../config-error.js';
import { readSql } from '../duckdb/database.js';
import { type ChainJob, type ChainNews, readChain } from '../jobs/chain/read-chain.js';
import { beginJobs, STATE_HEAP, type Underway } from '../jobs/run-jobs.js';
import type { Night, Span } from '../night.js';
import type { Month } from '../publish/write-table.js';
import { beginClassification } from './classify.js';

/**
 * Fetches what is missing and sets the night's span. Classification begins with the first file of blocks, and the fold goes on
 * afterwards.
 */
export async function indexChain(night: Night): Promise<void> {
  const { from, first, last } = await new Promise<IndexedHeights>((resolve, reject) => {
    night.chain = openChain(night, ({ heights, fetched, indexed }) => {
      if (heights && heights.first <= heights.last) beginClassification(night, heights);
      if (fetched) night.progress.update(...fetched);
      if (indexed) resolve(indexed);
    });
    night.chain.finished.catch(reject);
  });
  if (last < first) throw new ConfigError(`there is no block yet from ${night.config.indexStart} on`);
  night.span = await readSpan(night, from, first, last);
}

function openChain({ config, options, nodeChainId, start }: Night, onNews: (news: ChainNews) => void): Underway {
  const job: ChainJob = {
    rpcUrls: config.rpcUrls,
    dataDir: config.dataDir,
    nodeChainId,
    indexStart: config.indexStart,
    from: options.from,
    until: options.until,
    stateHeight: start?.height,
    holdings: start?.folder,
  };
  const worker = new URL('../jobs/chain/chain-worker.js', import.meta.url);
  return beginJobs({ jobs: [job], run: readChain, worker, threads: 1, heap: STATE_HEAP, onNews });
}

async function readSpan(night: Night, from: number, first: number, last: number): Promise<Span> {
  const { database } = night;
  const heights = { first, last };
  const ranges = listRanges(rawFolder(night.config.dataDir, night.nodeChainId));
  const files = ranges.filter((range) => range.from <= last && range.to >= from).map(({ path }) => path);
  await database.attach('raw_blocks', files);
  const [times] = await database.all<{ blocks: number; first_time: string; last_time: string }>(
    readSql('tables/span'),
    heights,
  );
  if (times!.blocks !== last - first + 1) {
    throw new Error(`${times!.blocks} raw blocks on disk from ${first} to ${last}: some are missing or there twice`);
  }
  const months = await database.all<Month>(readSql('tables/months'), heights);
  return { from, ...heights, firstTime: times!.first_time, lastTime: times!.last_time, months };
}
