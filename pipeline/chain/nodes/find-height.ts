/** Finds the heights that days of the index mean, by asking the source itself: block times rise with height. */
import { ConfigError } from '../../config-error.js';
import { addDays } from '../../ledger/day.js';
import type { CheckedSource } from '../checked-source.js';
import type { ChainStatus } from './chain-source.js';

/** Blocks that the index stays behind a live tip unless the operator says otherwise: nodes behind one address are up to three apart. */
const TIP_DISTANCE = 2;
/** Age in milliseconds up to which a newest block says that the chain goes on: one that stands still is indexed to its end. */
const LIVE_MS = 600_000;
/** Times that the nodes behind an address are asked before heights count as pruned by all of them. */
const ASKS_FOR_PRUNED = 20;

/**
 * The status of a source, less the newest blocks of a node: a balancer may ask one that is not there yet.
 * @param distance blocks to stay behind any node's tip; undefined = TIP_DISTANCE behind one whose newest block is recent
 */
export function behindTip(status: ChainStatus, distance: number | undefined, now = Date.now()): ChainStatus {
  const { latest, latestTime } = status;
  if (latestTime === undefined) return status;
  const standard = now - latestTime < LIVE_MS ? TIP_DISTANCE : 0;
  return { ...status, latest: latest - (distance ?? standard) };
}

/** The lowest height of all nodes behind the addresses of a source: asked when one of them does not reach back far enough. */
export async function furthestBack(source: CheckedSource): Promise<number> {
  return (await source.status(ASKS_FOR_PRUNED)).earliest;
}

interface Heading {
  /** UTC day, YYYY-MM-DD. */
  readonly day: string;
  /** True for the very first block of a chain. */
  readonly isFirst: boolean;
}

/** Reads what the header of a block says of its day. */
export async function headingOf(source: CheckedSource, height: number): Promise<Heading> {
  for await (const { record } of source.blocks(height, height)) {
    const { header } = record.block.block;
    return { day: header.time.slice(0, 10), isFirst: header.last_block_id.hash === '' };
  }
  throw new Error(`no record of height ${height}`);
}

/**
 * The first height from..to whose block's UTC day is `day` (YYYY-MM-DD) or later; to + 1 when there is none.
 * Binary search: about log2(to − from) blocks are read.
 */
export async function firstHeightOfDay(source: CheckedSource, day: string, from: number, to: number): Promise<number> {
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
  { source, indexStart }: { source: CheckedSource; indexStart: string },
  status: ChainStatus,
  stored: number | undefined,
): Promise<number> {
  const { earliest, latest } = status;
  if (stored !== undefined && stored > earliest && stored <= latest) {
    const [before, first] = [await headingOf(source, stored - 1), await headingOf(source, stored)];
    if (before.day < indexStart && first.day >= indexStart) return stored;
  }
  const height = await firstHeightOfDay(source, indexStart, earliest, latest);
  if (height !== earliest) return height;
  const { day, isFirst } = await headingOf(source, earliest);
  if (isFirst) return earliest;
  const isFirstDay = day === indexStart;
  if (!isFirstDay && stored !== undefined && stored < earliest) return stored; // pruned since it was indexed
  const furthest = await furthestBack(source);
  if (furthest < earliest) return firstHeight({ source, indexStart }, { ...status, earliest: furthest }, stored);
  if (isFirstDay) return earliest;
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
  { source, until }: { source: CheckedSource; until?: number | string | undefined },
  status: ChainStatus,
  first: number,
  stored: number | undefined,
): Promise<number> {
  if (typeof until === 'string') {
    return (await firstHeightOfDay(source, addDays(until, 1), first, status.latest)) - 1;
  }
  return Math.min(until ?? Number.POSITIVE_INFINITY, Math.max(status.latest, stored ?? 0));
}
