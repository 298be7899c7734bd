/**
 * Brings blocks to disk, each checked before it is stored. What is on disk is the progress: a run fetches what is
 * missing between the first height and the last, and a second run finds nothing to do.
 */
import type { RawBlock } from '../../schemas/types.generated.js';
import { ConfigError, SpanError } from '../config-error.js';
import { type Database, readSql } from '../duckdb/database.js';
import type { FullBlock } from './block.js';
import { BlockError } from './block-error.js';
import type { Link } from './check-block.js';
import { CheckedSource, type SourcedBlock } from './checked-source.js';
import type { CrossCheck } from './cross-check.js';
import type { ChainSource, ChainStatus } from './nodes/chain-source.js';
import { behindTip, firstHeight, furthestBack, headingOf, lastHeight } from './nodes/find-height.js';
import {
  isParquetFault,
  listRanges,
  type RawRange,
  rangeOf,
  rawFolder,
  setAside,
  settingAside,
  tidyFolder,
} from './raw-files.js';
import { RawWriter } from './raw-writer.js';
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
