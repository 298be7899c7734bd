/** Fetches, checks and stores blocks. Only heights that are not on disk are fetched. */
import { ConfigError, SpanError } from '../base/config-error.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { addDays } from '../base/values/day.js';
import type { FullBlock } from './block.js';
import { BlockError } from './block-error.js';
import type { Link } from './check-block.js';
import { CheckedSource, type CrossCheck, type SourcedBlock } from './cross-check.js';
import type { ChainSource, ChainStatus } from './nodes/chain-source.js';
import {
  isParquetFault,
  listRanges,
  type RawRange,
  RawWriter,
  rawFolder,
  setAside,
  storedRow,
  tidyFolder,
} from './raw-files.js';

export interface IndexOptions {
  readonly source: ChainSource;
  readonly database: Database;
  readonly dataDir: string;
  readonly nodeChainId: string;
  readonly indexStart: string;
  /**
   * True if `indexStart` is the default. The index then begins after the starting state if the state is later.
   */
  readonly isDefaultStart?: boolean | undefined;
  /** First height; replaces `indexStart`. */
  readonly from?: number | undefined;
  /** Height of the starting state. The blocks between it and `indexStart` are fetched too. */
  readonly stateHeight?: number | undefined;
  /** Last height, or last UTC day (YYYY-MM-DD). Default: the latest height of the source. */
  readonly until?: number | string | undefined;
  readonly tipDistance?: number | undefined;
  readonly now?: (() => number) | undefined;
  readonly crossCheck?: CrossCheck | undefined;
  readonly onUncompared?: ((height: number) => void) | undefined;
  readonly onHeights?: ((heights: IndexedHeights) => void) | undefined;
  readonly onDamaged?: ((path: string) => void) | undefined;
  /** Called with each fetched block. The next block is fetched after the promise resolves. */
  readonly onBlock?: ((block: FullBlock) => Promise<void>) | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface IndexedHeights {
  /** Lowest stored height. It is less than `first` if the starting state is from before the index. */
  readonly from: number;
  readonly first: number;
  readonly last: number;
}

export interface IndexedBlocks extends IndexedHeights {
  readonly added: number;
}

/**
 * @throws ConfigError if the source serves another chain, or lacks the first block of the index
 * @throws BlockError if a block is missing, unreadable or inconsistent; the blocks before it are stored
 */
export async function indexBlocks(given: IndexOptions): Promise<IndexedBlocks> {
  const { nodeChainId: chainId, now = Date.now, crossCheck, onUncompared } = given;
  const options = { ...given, source: new CheckedSource(given.source, { chainId, now, crossCheck, onUncompared }) };
  const reported = await options.source.status();
  const status = behindTip(reported, options.tipDistance);
  if (status.chainId !== options.nodeChainId) {
    throw new ConfigError(
      `the node's chain is ${status.chainId}, expected ${options.nodeChainId}: name a node of that chain, or set HUBLEDGER_NODE_CHAIN_ID`,
    );
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
    const hasGivenSpan = from !== undefined || until !== undefined;
    throw new (hasGivenSpan ? SpanError : ConfigError)(`there is no block ${span}`);
  }
  const gaps = missingHeights(held, from, last);
  if (gaps[0] && gaps[0].from < status.earliest) await requireHeight(options.source, gaps[0].from, first);
  options.onHeights?.({ from, first, last });
  const total = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  let done = 0;
  for (const gap of gaps) {
    await fillGap(options, folder, { ...gap, latest: reported.latest }, () => options.onProgress?.(++done, total));
  }
  return { from, first, last, added: total };
}

type CheckedOptions = Omit<IndexOptions, 'source'> & { readonly source: CheckedSource };

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

async function requireHeight(source: CheckedSource, height: number, first: number): Promise<void> {
  const earliest = await furthestBack(source);
  if (height >= earliest) return;
  const why = height < first ? ' (HUBLEDGER_GENESIS is the state before it)' : '';
  throw new ConfigError(
    `the node does not have height ${height}${why}: its blocks begin at ${earliest}. ` +
      'Name an archive node in HUBLEDGER_RPC_URLS for the nightly run that fetches the blocks in between (docs/real-hub.md)',
  );
}

async function firstOfIndex(options: CheckedOptions, status: ChainStatus, held: readonly RawRange[]): Promise<number> {
  const { from, stateHeight = -1, database, indexStart, isDefaultStart } = options;
  if (from !== undefined) return from;
  const stored = await storedFirst(database, held, indexStart);
  const yields = isDefaultStart === true && !held.some((range) => range.from <= stateHeight);
  const next = stateHeight + 1;
  const isAtHand = stateHeight >= 0 && next >= status.earliest && next <= status.latest;
  if (yields && stored === undefined && isAtHand && (await headingOf(options.source, next)).day >= indexStart)
    return next;
  const first = stored ?? (await firstHeight(options, status, held[0]?.from));
  return yields ? Math.max(first, next) : first;
}

async function storedFirst(database: Database, held: readonly RawRange[], day: string): Promise<number | undefined> {
  const files = held.map(({ path }) => path);
  await database.attach('raw_blocks', files, 'stored_blocks', ['height', 'time']);
  const [found] = await database.all<{ first: number }>(readSql('tables/first_of_day'), { day });
  return found?.first;
}

const TIP_DISTANCE = 2;
/** If the newest block is older than this, the chain has stopped. Its newest blocks are then fetched too. */
const LIVE_MS = 600_000;
/** If an address is a load balancer, a height counts as pruned by all its nodes after this many requests. */
const ASKS_FOR_PRUNED = 20;

/**
 * Lowers the latest height of a status, because the next node behind a load balancer may not have the newest blocks
 * yet.
 * @param distance number of blocks; if undefined, TIP_DISTANCE, or 0 if the chain has stopped
 */
export function behindTip(status: ChainStatus, distance: number | undefined, now = Date.now()): ChainStatus {
  const { latest, latestTime } = status;
  if (latestTime === undefined) return status;
  const standard = now - latestTime < LIVE_MS ? TIP_DISTANCE : 0;
  return { ...status, latest: latest - (distance ?? standard) };
}

export async function furthestBack(source: CheckedSource): Promise<number> {
  return (await source.status(ASKS_FOR_PRUNED)).earliest;
}

interface Heading {
  readonly day: string;
  readonly isFirst: boolean;
}

export async function headingOf(source: CheckedSource, height: number): Promise<Heading> {
  const { time, last_block_id } = await source.header(height);
  return { day: time.slice(0, 10), isFirst: last_block_id.hash === '' };
}

/**
 * Returns the first height from `from` to `to` whose block is on `day` (YYYY-MM-DD) or later. Returns `to` + 1 if there
 * is none.
 */
export async function firstHeightOfDay(source: CheckedSource, day: string, from: number, to: number): Promise<number> {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await dayFrom(source, middle, { high, day })) >= day) high = middle;
    else low = middle + 1;
  }
  return low;
}

const HOLE_MAX = 20;

/** Returns the day of the first block from `height` on, because nodes may lack single blocks. `high` is on `day`. */
async function dayFrom(source: CheckedSource, height: number, { high, day }: { high: number; day: string }) {
  for (let next = height; next < high; next++) {
    try {
      return (await headingOf(source, next)).day;
    } catch (error) {
      if (!(error instanceof BlockError && error.isAbsent) || next === height + HOLE_MAX) throw error;
    }
  }
  return day;
}

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
  if (!isFirstDay && stored !== undefined && stored < earliest) return stored;
  const furthest = await furthestBack(source);
  if (furthest < earliest) return firstHeight({ source, indexStart }, { ...status, earliest: furthest }, stored);
  if (isFirstDay) return earliest;
  throw new ConfigError(
    `the node's blocks begin at height ${earliest} on ${day}, the index on ${indexStart}: ` +
      'use an archive node, or set HUBLEDGER_INDEX_START',
  );
}

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
 * Fetches missing heights and checks that they link to the stored blocks around them. Stores a block only after the
 * next block's header has proved it.
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
