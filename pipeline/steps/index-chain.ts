/** The step that brings blocks to disk and says which of them the dataset spans. */
import { indexBlocks } from '../chain/index-blocks.js';
import { openSource } from '../chain/open-source.js';
import { listRanges, type RawRange, rawFolder } from '../chain/raw-files.js';
import { ConfigError } from '../config.js';
import { Database, readSql } from '../database.js';
import type { Night, Span } from '../night.js';
import type { Month } from '../publish/write-table.js';
import { beginFold } from './fold-holdings.js';

/** Fetches what is missing and sets the night's span. */
export async function indexChain(night: Night): Promise<void> {
  const { config, options, progress, nodeChainId } = night;
  const database = await Database.open();
  try {
    const { from, first, last } = await indexBlocks({
      source: openSource(config.rpcUrls),
      database,
      dataDir: config.dataDir,
      nodeChainId,
      indexStart: config.indexStart,
      from: options.from,
      until: options.until,
      stateHeight: night.start?.height,
      onHeights: (heights) => {
        if (heights.first <= heights.last) beginFold(night, heights.last);
      },
      onProgress: progress.update,
    });
    if (last < first) throw new ConfigError(`there is no block yet from ${config.indexStart} on`);
    night.span = await readSpan(night, from, first, last);
  } finally {
    database.close();
  }
}

/** A raw file's part of the dataset: the file may hold blocks before its first or after its last height. */
export interface RangePart {
  readonly raw: RawRange;
  /** Heights, both inclusive. */
  readonly first: number;
  readonly last: number;
}

/** The raw files that hold the heights first..last, cut to them. */
export function rangeParts(night: Night, first: number, last: number): RangePart[] {
  return listRanges(rawFolder(night.config.dataDir, night.nodeChainId))
    .filter(({ from, to }) => from <= last && to >= first)
    .map((raw) => ({ raw, first: Math.max(raw.from, first), last: Math.min(raw.to, last) }));
}

async function readSpan(night: Night, from: number, first: number, last: number): Promise<Span> {
  const { database } = night;
  const heights = { first, last };
  await database.attach(
    'raw_blocks',
    rangeParts(night, from, last).map(({ raw }) => raw.path),
  );
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
