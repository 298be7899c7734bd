/**
 * Brings blocks to disk, each checked before it is stored. What is on disk is the progress: a run fetches what is
 * missing between the first height and the last, and a second run finds nothing to do.
 */
import type { RawBlock } from '../../schemas/types.generated.js';
import { ConfigError, SpanError } from '../config-error.js';
import { type Database, readSql } from '../duckdb/database.js';
import { addDays } from '../ledger/day.js';
import type { FullBlock } from './block.js';
import { BlockError } from './block-error.js';
import type { Link } from './check-block.js';
import { CheckedSource, type SourcedBlock } from './checked-source.js';
import type { CrossCheck } from './cross-check.js';
import type { ChainSource, ChainStatus } from './nodes/chain-source.js';
import {
  isParquetFault,
  listRanges,
  type RawRange,
  RawWriter,
  rangeOf,
  rawFolder,
  setAside,
  settingAside,
  tidyFolder,
} from './raw-files.js';
import { readRows } from './read-blocks.js';

export interface IndexOptions {
  readonly source: ChainSource;
  readonly database: Database;
  readonly dataDir: string;
  /** Network id that the source must report. */
  readonly nodeChainId: string;
  /** First UTC day of the index, YYYY-MM-DD. */
  readonly indexStart: string;
  /** True if nobody named that day: a starting state that is later then begins the index. */
  readonly isDefaultStart?: boolean | undefined;
  /** First height, in place of the first block of indexStart. */
  readonly from?: number | undefined;
  /** Height of the starting state, if there is one. Blocks between it and the index are fetched, too. */
  readonly stateHeight?: number | undefined;
  /** Last height or last UTC day (YYYY-MM-DD), inclusive. Without it: the source's latest height. */
  readonly until?: number | string | undefined;
  /** Blocks to stay behind a node's tip; see behindTip. */
  readonly tipDistance?: number | undefined;
  /** Returns now in milliseconds since the epoch: blocks cannot be of a later time. */
  readonly now?: (() => number) | undefined;
  /** Heights about which a second node is asked. */
  readonly crossCheck?: CrossCheck | undefined;
  /** Called for each of these heights about which no second node answers. */
  readonly onUncompared?: ((height: number) => void) | undefined;
  /** Called once it is known which heights the run is about, before any block is fetched. */
  readonly onHeights?: ((heights: IndexedHeights) => void) | undefined;
  /** Called for each file that is not what it was when it was stored: it is set aside, and its blocks are fetched anew. */
  readonly onDamaged?: ((path: string) => void) | undefined;
  /** Takes each block that was fetched, in outline, before the next one is looked at. */
  readonly onBlock?: ((block: FullBlock) => Promise<void>) | undefined;
  /** Called after each block that was fetched: how many of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The heights of an index, all inclusive. */
export interface IndexedHeights {
  /** The first block that is on disk for this index: before `first` where the starting state is older. */
  readonly from: number;
  readonly first: number;
  readonly last: number;
}

export interface IndexedBlocks extends IndexedHeights {
  /** Blocks that this run brought to disk. */
  readonly added: number;
}

/**
 * Fetches what is missing on disk of from..last.
 * @throws ConfigError when the source is of another chain, has no block of the index yet or does not reach back to its first
 * @throws BlockError when a block is missing, cannot be read or does not fit; the ones before it are on disk then
 */
export async function indexBlocks(asked: IndexOptions): Promise<IndexedBlocks> {
  const { nodeChainId: chainId, now = Date.now, crossCheck, onUncompared } = asked;
  const options = { ...asked, source: new CheckedSource(asked.source, { chainId, now, crossCheck, onUncompared }) };
  const said = await options.source.status();
  const status = behindTip(said, options.tipDistance);
  if (status.chainId !== options.nodeChainId) {
    throw new ConfigError(`the node is of ${status.chainId}, not of ${options.nodeChainId} (HUBLEDGER_NODE_CHAIN_ID)`);
  }
  const folder = rawFolder(options.dataDir, options.nodeChainId);
  tidyFolder(folder);
  const held = await readableRanges(options, folder);
  const first = await firstOfIndex(options, status, held);
  const from = Math.min(first, (options.stateHeight ?? first) + 1);
  const last = await lastHeight(options, status, first, held.at(-1)?.to);
  if (last < first) {
    const { from, until, indexStart } = options;
    const start = from ?? indexStart;
    const span = until === undefined ? `yet from ${start} on` : `from ${start} to ${until}`;
    const isAsked = from !== undefined || until !== undefined;
    throw new (isAsked ? SpanError : ConfigError)(`there is no block ${span}`);
  }
  const gaps = missingHeights(held, from, last);
  if (gaps[0] && gaps[0].from < status.earliest) await requireHeight(options.source, gaps[0].from, first);
  options.onHeights?.({ from, first, last });
  const total = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  let done = 0;
  for (const gap of gaps) {
    await fillGap(options, folder, { ...gap, latest: said.latest }, () => options.onProgress?.(++done, total));
  }
  return { from, first, last, added: total };
}

/** The options, with a source whose blocks are checked. */
type CheckedOptions = Omit<IndexOptions, 'source'> & { readonly source: CheckedSource };

/** Lists the files of the folder that are Parquet of as many blocks as their names say, and sets the others aside. */
async function readableRanges({ database, onDamaged }: CheckedOptions, folder: string): Promise<RawRange[]> {
  const isWhole = async (ranges: readonly RawRange[]) => {
    try {
      const rows = await database.countRows(ranges.map(({ path }) => path));
      return ranges.every(({ from, to }, i) => rows[i] === to - from + 1);
    } catch (error) {
      if (isParquetFault(error)) return false;
      throw error;
    }
  };
  const ranges = listRanges(folder);
  if (ranges.length === 0 || (await isWhole(ranges))) return ranges;
  for (const range of ranges) {
    if (await isWhole([range])) continue;
    setAside(folder, range.path);
    onDamaged?.(range.path);
  }
  return listRanges(folder);
}

/**
 * Makes sure that a height which one status denies is not pruned by all nodes.
 * @throws ConfigError naming what to do
 */
async function requireHeight(source: CheckedSource, height: number, first: number): Promise<void> {
  const earliest = await furthestBack(source);
  if (height >= earliest) return;
  const why = height < first ? ' (HUBLEDGER_GENESIS is the state before it)' : '';
  throw new ConfigError(
    `the node does not have height ${height}${why}: its blocks begin at ${earliest}. ` +
      'Name an archive node in HUBLEDGER_RPC_URLS for the night that fetches the blocks between (docs/real-hub.md)',
  );
}

async function firstOfIndex(options: CheckedOptions, status: ChainStatus, held: readonly RawRange[]): Promise<number> {
  const { from, stateHeight = -1, database, indexStart, isDefaultStart } = options;
  if (from !== undefined) return from;
  const stored = await storedFirst(database, held, indexStart);
  // An index that has blocks up to the state was begun without it, and keeps them.
  const yields = isDefaultStart === true && !held.some((range) => range.from <= stateHeight);
  const next = stateHeight + 1;
  const isAtHand = stateHeight >= 0 && next >= status.earliest && next <= status.latest;
  // A node that has pruned the blocks before the state need not be asked for them.
  if (yields && stored === undefined && isAtHand && (await headingOf(options.source, next)).day >= indexStart)
    return next;
  const first = stored ?? (await firstHeight(options, status, held[0]?.from));
  return yields ? Math.max(first, next) : first;
}

/** Finds the first block of the index on disk: it is of that day or later, and the block before it of an earlier day. */
async function storedFirst(database: Database, held: readonly RawRange[], day: string): Promise<number | undefined> {
  const files = held.map(({ path }) => path);
  await database.attach('raw_blocks', files, 'stored_blocks', ['height', 'time']);
  const [found] = await database.all<{ first: number }>(readSql('tables/first_of_day'), { day });
  return found?.first;
}

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
function behindTip(status: ChainStatus, distance: number | undefined, now = Date.now()): ChainStatus {
  const { latest, latestTime } = status;
  if (latestTime === undefined) return status;
  const standard = now - latestTime < LIVE_MS ? TIP_DISTANCE : 0;
  return { ...status, latest: latest - (distance ?? standard) };
}

/** The lowest height of all nodes behind the addresses of a source: asked when one of them does not reach back far enough. */
async function furthestBack(source: CheckedSource): Promise<number> {
  return (await source.status(ASKS_FOR_PRUNED)).earliest;
}

interface Heading {
  /** UTC day, YYYY-MM-DD. */
  readonly day: string;
  /** True for the very first block of a chain. */
  readonly isFirst: boolean;
}

/** Reads what the header of a block says of its day. */
async function headingOf(source: CheckedSource, height: number): Promise<Heading> {
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

/** Heights in ascending order, both inclusive. */
interface Heights {
  readonly from: number;
  readonly to: number;
}

function missingHeights(held: readonly RawRange[], first: number, last: number): Heights[] {
  const gaps: Heights[] = [];
  let next = first;
  for (const { from, to } of held) {
    if (from > last) break;
    if (from > next) gaps.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  if (next <= last) gaps.push({ from: next, to: last });
  return gaps;
}

/**
 * Fetches, checks and stores the heights of a gap, which must link to the stored blocks on either side of it. Each is stored when the
 * next one has proved it; the last of all is proved by the next run where the source has no later one.
 */
async function fillGap(
  { source, database, onBlock }: CheckedOptions,
  folder: string,
  gap: Heights & { readonly latest: number },
  onRow: () => void,
): Promise<void> {
  const stored = async (height: number) => {
    const row = await storedRow(database, folder, height);
    return row && source.stored(row);
  };
  const writer = new RawWriter(database, folder);
  let before: Link | undefined;
  let last: SourcedBlock | undefined = await stored(gap.from - 1);
  const storeLast = async () => {
    if (!last || last.isStored) return;
    await source.crossCheck(last);
    await writer.add(last.row);
    await onBlock?.(last.block);
    onRow();
  };
  const follow = async (block: SourcedBlock) => {
    let next = block;
    if (last) [last, next] = await source.agree(before, last, next);
    await storeLast();
    [before, last] = [last?.link, next];
  };
  try {
    const follower = await stored(gap.to + 1);
    const until = !follower && gap.to < gap.latest ? gap.to + 1 : gap.to;
    for await (const block of source.blocks(gap.from, until)) await follow(block);
    if (follower) await follow(follower);
    else if (until === gap.to) await storeLast();
  } catch (error) {
    if (error instanceof BlockError || error instanceof ConfigError) await writer.finish();
    throw error;
  }
  await writer.finish();
}

/** Reads a stored block. It is looked up afresh each time: files are merged while gaps are filled. */
export async function storedRow(database: Database, folder: string, height: number): Promise<RawBlock | undefined> {
  const range = rangeOf(folder, height);
  if (!range) return undefined;
  for await (const row of settingAside(folder, readRows(database, range, height, height))) return row;
  throw new Error(`${range.path} does not hold height ${height}`);
}
