/** Finds the heights that days of the index mean, by asking the source itself: block times rise with height. */
import { ConfigError } from '../../config-error.js';
import { parseRecord } from '../block-record.js';
import type { ChainSource, ChainStatus } from './chain-source.js';

interface Heading {
  /** UTC day, YYYY-MM-DD. */
  readonly day: string;
  /** True for the very first block of a chain. */
  readonly isFirst: boolean;
}

async function headingOf(source: ChainSource, height: number): Promise<Heading> {
  for await (const { record } of source.records(height, height)) {
    const { header } = parseRecord(height, record).block.block;
    return { day: header.time.slice(0, 10), isFirst: header.last_block_id.hash === '' };
  }
  throw new Error(`no record of height ${height}`);
}

/**
 * The first height from..to whose block's UTC day is `day` (YYYY-MM-DD) or later; to + 1 when there is none.
 * Binary search: about log2(to − from) blocks are read.
 */
export async function firstHeightOfDay(source: ChainSource, day: string, from: number, to: number): Promise<number> {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await headingOf(source, middle)).day >= day) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The first height of the index: the first block of indexStart or later.
 * @param stored the lowest height on disk, which is the answer as long as the block before it is of an earlier day
 * @throws ConfigError when the source begins after that day, so that it cannot know
 */
export async function firstHeight(
  { source, indexStart }: { source: ChainSource; indexStart: string },
  { earliest, latest }: ChainStatus,
  stored: number | undefined,
): Promise<number> {
  if (stored !== undefined && stored > earliest && stored <= latest) {
    const [before, first] = [await headingOf(source, stored - 1), await headingOf(source, stored)];
    if (before.day < indexStart && first.day >= indexStart) return stored;
  }
  const height = await firstHeightOfDay(source, indexStart, earliest, latest);
  if (height !== earliest) return height;
  const { day, isFirst } = await headingOf(source, earliest);
  if (isFirst || day === indexStart) return earliest;
  if (stored !== undefined && stored < earliest) return stored; // pruned since it was indexed
  throw new ConfigError(
    `the node's blocks begin at height ${earliest} on ${day}, the index on ${indexStart}: ` +
      'use an archive node, or set HUBLEDGER_INDEX_START',
  );
}

/**
 * The last height of the index: `until` as a height or a day, at most the latest that the source or the disk has.
 * @param stored the highest height on disk, which a source that lags behind may not have
 */
export async function lastHeight(
  { source, until }: { source: ChainSource; until?: number | string | undefined },
  status: ChainStatus,
  first: number,
  stored: number | undefined,
): Promise<number> {
  if (typeof until === 'string') {
    const dayAfter = new Date(Date.parse(`${until}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    return (await firstHeightOfDay(source, dayAfter, first, status.latest)) - 1;
  }
  return Math.min(until ?? Number.POSITIVE_INFINITY, Math.max(status.latest, stored ?? 0));
}
