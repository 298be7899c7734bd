/**
 * Fetches stored blocks again and replaces wrong ones. An operator can start this. A nightly run starts it if an audit
 * or the fold (which computes holdings block by block) contradicts a block. No hash of the chain covers events, so only
 * such a contradiction reveals a wrong event. The responses of all nodes then decide which block is right.
 */
import { dirname, join } from 'node:path';
import type { HoldingsStop, RawBlock } from '../../../../schemas/types.generated.js';
import { ConfigError, SpanError } from '../../../base/config-error.js';
import { listFolder, removeFolder, unfinished } from '../../../base/disk/atomic-files.js';
import { Database } from '../../../base/duckdb/database.js';
import { writeTableFile } from '../../../base/duckdb/table-file.js';
import { BlockError } from '../../../chain/block-error.js';
import { parseRecord } from '../../../chain/block-record.js';
import { type CheckedBlock, checkBlock, type Expectation, linkFault } from '../../../chain/check-block.js';
import { contentHash } from '../../../chain/cross-check.js';
import { openSource } from '../../../chain/nodes/open-source.js';
import {
  listRanges,
  type RawRange,
  rangeOf,
  rawFolder,
  readRows,
  replaceRange,
  settingAside,
  storedRow,
} from '../../../chain/raw-files.js';
import type { NodeHeaders } from '../../../config.js';
import { LossError } from '../../../publish/losses.js';
import { AuditError } from '../../../publish/run-audits.js';
import { HoldingsFolder } from '../fold/holdings-folder.js';

const RUNS_MAX = 8;
/** Number of earlier blocks that are fetched again if the fold stops. The wrong block may be one of them. */
const BEFORE_STOP = 200;

interface HealingOptions extends Nodes {
  readonly dataDir: string;
  readonly say: (text: string, facts?: Record<string, unknown>) => void;
}

/**
 * Thrown by a step that finds wrong blocks. Another step may be reading these blocks, so the thrower does not replace
 * them.
 */
class DifferentBlocks extends Error {
  constructor(readonly blocks: readonly OtherBlock[]) {
    super(`nodes give other blocks: ${heightsText(blocks.map(({ row }) => row.height))}`);
  }
}

interface Finding {
  readonly blocks: readonly OtherBlock[];
  readonly verdict?: string | undefined;
}

const NOTHING: Finding = { blocks: [] };

export class Healing {
  private runs = 0;
  /** Contents of each block that this run has stored. No content is tried twice. */
  private readonly tried = new Map<number, string[]>();

  constructor(private readonly options: HealingOptions) {}

  /**
   * Replaces the blocks that caused the error. If there is no replacement, adds the nodes' responses to the error
   * message.
   * @returns true if the nightly run must start again
   */
  async heal(error: unknown): Promise<boolean> {
    const { blocks, verdict }: Finding = error instanceof DifferentBlocks ? error : await this.findFor(error);
    if (blocks.length > 0) {
      this.runs++;
      await this.replace(blocks);
      return true;
    }
    if (error instanceof LossError && this.runs > 0) error.message += ', since blocks were replaced';
    if (verdict !== undefined && error instanceof Error) {
      const advice = 'report it, or end the nightly run before this block with --until';
      error.message += `${error instanceof AuditError ? '\n' : '; '}${verdict}: ${advice}`;
    }
    return false;
  }

  /** @throws DifferentBlocks if nodes return another block for this height or for an earlier height near it */
  async expectSameAt({ height }: HoldingsStop): Promise<void> {
    const before = Array.from({ length: BEFORE_STOP }, (_, i) => height - BEFORE_STOP + i);
    const { blocks, verdict } = await this.find([[height], before]);
    if (blocks.length > 0) throw new DifferentBlocks(blocks);
    if (verdict !== undefined)
      this.options.say(`${verdict}: report it, or correct it by HUBLEDGER_CORRECTIONS`, { height });
  }

  private async findFor(error: unknown): Promise<Finding> {
    if (error instanceof AuditError) return this.find(error.suspects);
    // Either the block with the error or the stored block before it may be wrong.
    return error instanceof BlockError ? this.find([[error.height], [error.height - 1]]) : NOTHING;
  }

  /**
   * Searches groups of heights in order, until a group has a block to replace. If no group has one, the result
   * describes the first group.
   */
  private async find(groups: readonly (readonly number[])[]): Promise<Finding> {
    if (this.runs === RUNS_MAX)
      return { ...NOTHING, verdict: `blocks were replaced ${RUNS_MAX} times in this nightly run` };
    const database = await this.open();
    try {
      const verdicts: (string | undefined)[] = [];
      for (const group of groups) {
        const inquiry = await this.ask(database, group);
        const blocks = inquiry.replies.flatMap((replies) => this.choose(replies) ?? []);
        if (blocks.length > 0) return await this.withNeighbours(database, blocks);
        verdicts.push(verdictOn(inquiry));
      }
      return { ...NOTHING, verdict: verdicts[0] };
    } finally {
      database.close();
    }
  }

  private async ask(database: Database, heights: readonly number[]): Promise<Inquiry> {
    const { dataDir, nodeChainId } = this.options;
    const inquiries: Inquiry[] = [];
    for (const range of listRanges(rawFolder(dataDir, nodeChainId))) {
      const stored = heights.filter((height) => range.from <= height && height <= range.to);
      if (stored.length === 0) continue;
      const ascending = [...new Set(stored)].sort((a, b) => a - b);
      inquiries.push(await askAgain(this.options, database, range, ascending));
    }
    return {
      replies: inquiries.flatMap(({ replies }) => replies),
      failures: [...new Set(inquiries.flatMap(({ failures }) => failures))],
    };
  }

  /**
   * Chooses a block that this run has not stored yet. If there is none, chooses the block that was stored before the
   * run, if a node returns it.
   */
  private choose(replies: BlockReplies): OtherBlock | undefined {
    const { height, stored, others } = replies;
    const tried = this.tried.get(height) ?? [stored.content];
    const isLikely = (other: OtherBlock) =>
      this.options.comparesAll
        ? other === agreedOther(replies, this.options)
        : other.nodes.length >= stored.nodes.length;
    const first = stored.content === tried[0] ? undefined : others.find(({ content }) => content === tried[0]);
    const chosen = others.find((other) => isLikely(other) && !tried.includes(other.content)) ?? first;
    if (chosen) this.tried.set(height, [...tried, chosen.content]);
    return chosen;
  }

  /** Also finds wrong blocks in the same files, because a faulty node seldom returns only one wrong block. */
  private async withNeighbours(database: Database, blocks: readonly OtherBlock[]): Promise<Finding> {
    const { dataDir, nodeChainId } = this.options;
    const folder = rawFolder(dataDir, nodeChainId);
    const chosen = new Map(blocks.map((block) => [block.row.height, block]));
    const isTouched = ({ from, to }: RawRange) => blocks.some(({ row: { height } }) => from <= height && height <= to);
    const heights = listRanges(folder)
      .filter(isTouched)
      .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
    const inquiry = await this.ask(
      database,
      heights.filter((height) => !chosen.has(height)),
    );
    for (const other of inquiry.replies.flatMap((replies) => agreedOther(replies, this.options) ?? [])) {
      chosen.set(other.row.height, other);
    }
    const all = [...chosen.values()].sort((a, b) => a.row.height - b.row.height);
    const rows = all.map(({ row }) => row);
    const fault = await misfit(this.options, database, folder, rows);
    if (!fault) return { blocks: all };
    return { ...NOTHING, verdict: `other blocks do not fit the stored ones: ${fault.message}` };
  }

  private async replace(blocks: readonly OtherBlock[]): Promise<void> {
    const { dataDir, nodeChainId, say } = this.options;
    const database = await this.open();
    try {
      const rows = blocks.map(({ row }) => row);
      const files = await replaceBlocks(database, dataDir, nodeChainId, rows);
      const heights = heightsText(rows.map(({ height }) => height));
      const nodes = [...new Set(blocks.flatMap(({ nodes }) => nodes))];
      say(`blocks were fetched again and differ: ${heights} (${nodes.join(', ')})`, {
        heights,
        nodes,
        set_aside: files,
      });
    } finally {
      database.close();
    }
  }

  private open(): Promise<Database> {
    return Database.open(unfinished(join(this.options.dataDir, 'healing-spill')), { threads: 1 });
  }
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four'];

/** Describes the nodes' responses for an error message. Returns undefined if none of the blocks is stored. */
function verdictOn({ replies, failures }: Inquiry): string | undefined {
  if (replies.length === 0) return undefined;
  const disputed = replies.find(({ stored, others }) => stored.nodes.length > 0 && others.length > 0);
  if (disputed) return disputeText(disputed);
  const blocks = `block${replies.length > 1 ? 's' : ''} ${heightsText(replies.map(({ height }) => height))}`;
  const nodes = [...new Set(replies.flatMap(({ stored }) => stored.nodes))];
  if (!replies.every(hasReplies)) return `${blocks} cannot be fetched again: ${failures.join('; ')}`;
  const count = NUMBERS[nodes.length] ?? String(nodes.length);
  const subject = nodes.length === 1 ? 'the node gives' : `${count} nodes give`;
  return `${subject} the same ${blocks} (${nodes.join(', ')})`;
}

export interface Refetched {
  readonly replaced: readonly OtherBlock[];
  readonly files: readonly string[];
  /** Blocks that are not replaced, because the nodes do not agree on another block. */
  readonly disputed: readonly BlockReplies[];
}

/**
 * Fetches blocks again and replaces the wrong ones. Replaces nothing unless nodes have returned all requested blocks.
 * The caller must hold the lock of the nightly run.
 * @throws SpanError if a block is not stored
 * @throws ConfigError if no node returns a block
 * @throws BlockError if a block contradicts the block before or after it
 */
export async function refetchBlocks(
  nodes: Nodes,
  database: Database,
  dataDir: string,
  { from, to }: { readonly from: number; readonly to: number },
  onProgress: (done: number, total: number) => void,
): Promise<Refetched> {
  if (from > to) throw new SpanError(`${from} is after ${to}`);
  const folder = rawFolder(dataDir, nodes.nodeChainId);
  const ranges = listRanges(folder);
  const replaced: OtherBlock[] = [];
  const disputed: BlockReplies[] = [];
  const wanted = ranges.flatMap((range) => {
    const heights = [];
    for (let height = Math.max(from, range.from); height <= Math.min(to, range.to); height++) heights.push(height);
    return heights.length > 0 ? [{ range, heights }] : [];
  });
  const [count, total] = [wanted.reduce((sum, { heights }) => sum + heights.length, 0), to - from + 1];
  if (count < total) {
    const stored = ranges.length > 0 ? `blocks ${ranges[0]!.from}-${ranges.at(-1)!.to}` : 'no blocks';
    throw new SpanError(`blocks ${from}-${to} are not all stored; the data folder has ${stored}`);
  }
  let done = 0;
  for (const { range, heights } of wanted) {
    const inquiry = await askAgain(nodes, database, range, heights);
    const open = inquiry.replies.find((replies) => !hasReplies(replies));
    if (open) throw new ConfigError(`no node gives block ${open.height}: ${inquiry.failures.join('; ')}`);
    for (const replies of inquiry.replies) {
      const other = agreedOther(replies, nodes);
      if (other) replaced.push(other);
      else if (replies.others.length > 0) disputed.push(replies);
    }
    done += heights.length;
    onProgress(done, total);
  }
  const rows = replaced.map(({ row }) => row);
  const fault = await misfit(nodes, database, folder, rows);
  if (fault) throw fault;
  const files = rows.length > 0 ? await replaceBlocks(database, dataDir, nodes.nodeChainId, rows) : [];
  return { replaced, files, disputed };
}

/**
 * Replaces stored blocks. Removes derived data first, so that an interruption leaves no outdated data. The caller must
 * hold the lock of the nightly run.
 * @param rows ascending; each height is stored
 * @returns paths of the replaced files
 */
async function replaceBlocks(
  database: Database,
  dataDir: string,
  chainId: string,
  rows: readonly RawBlock[],
): Promise<string[]> {
  const folder = rawFolder(dataDir, chainId);
  const byFile = new Map<string, { range: RawRange; rows: RawBlock[] }>();
  for (const row of rows) {
    const range = rangeOf(folder, row.height)!;
    if (!byFile.has(range.path)) byFile.set(range.path, { range, rows: [] });
    byFile.get(range.path)!.rows.push(row);
  }
  dropDerived(dataDir, [...byFile.values()]);
  const old: string[] = [];
  for (const { range, rows } of byFile.values()) {
    await database.create('raw_blocks');
    await database.run('tables/append_raw_blocks', { path: range.path });
    await database.execute('delete from raw_blocks where list_contains($heights::bigint[], height)', {
      heights: rows.map(({ height }) => String(height)),
    });
    await database.append('raw_blocks', rows);
    old.push(await replaceRange(range, (path) => writeTableFile(database, 'raw_blocks', path)));
  }
  await database.create('raw_blocks');
  return old;
}

function dropDerived(
  dataDir: string,
  files: readonly { readonly range: RawRange; readonly rows: readonly RawBlock[] }[],
) {
  const classified = join(dataDir, 'classified');
  for (const key of listFolder(classified)) {
    for (const name of listFolder(join(classified, key))) {
      const [, from, to] = /^(\d{10,})-(\d{10,})$/.exec(name) ?? [];
      const isOf = ({ range }: { readonly range: RawRange }) => Number(from) <= range.to && Number(to) >= range.from;
      if (files.some(isOf)) removeFolder(join(classified, key, name));
    }
  }
  const first = Math.min(...files.map(({ rows }) => rows[0]!.height));
  const holdings = join(dataDir, 'holdings');
  for (const key of listFolder(holdings)) {
    const folder = new HoldingsFolder(join(holdings, key));
    if (folder.readStart()) folder.dropFrom(first);
  }
}

interface Nodes {
  readonly rpcUrls: readonly string[];
  readonly nodeHeaders: NodeHeaders;
  readonly nodeChainId: string;
  /** Current time in milliseconds since 1970. Blocks with a later time are rejected. */
  readonly now: number;
  /**
   * True if every block is cross-checked (HUBLEDGER_CROSS_CHECK). In this case a replacement needs two nodes that
   * agree.
   */
  readonly comparesAll: boolean;
}

interface GivenBlock {
  readonly content: string;
  readonly nodes: string[];
}

interface OtherBlock extends GivenBlock {
  readonly row: RawBlock;
}

interface BlockReplies {
  readonly height: number;
  readonly stored: GivenBlock;
  readonly others: readonly OtherBlock[];
}

interface Inquiry {
  readonly replies: readonly BlockReplies[];
  readonly failures: readonly string[];
}

/**
 * Fetches blocks from all nodes and sorts different versions by the number of nodes that returned them. Asks the first
 * node last, so that another node's version comes first in a tie.
 * @param heights ascending, all in the file of `range`
 */
async function askAgain(
  { rpcUrls, nodeHeaders: headers, nodeChainId, now }: Nodes,
  database: Database,
  range: RawRange,
  heights: readonly number[],
): Promise<Inquiry> {
  const known = new Map<number, BlockReplies & { readonly others: OtherBlock[] }>();
  const wanted = new Set(heights);
  const rows = readRows(database, range, heights[0]!, heights.at(-1)!);
  for await (const row of settingAside(dirname(range.path), rows)) {
    if (!wanted.has(row.height)) continue;
    const { height } = row;
    known.set(height, { height, stored: { content: contentOf(row), nodes: [] }, others: [] });
  }
  const failures: string[] = [];
  for (const url of [...rpcUrls.slice(1), ...rpcUrls.slice(0, 1)]) {
    const node = url.startsWith('file:') ? 'the recording' : new URL(url).host;
    try {
      const source = openSource([url], { headers });
      const { chainId } = await source.status();
      if (chainId !== nodeChainId) throw new ConfigError(`${node} serves chain ${chainId}, expected ${nodeChainId}`);
      for (const [from, to] of runsOf(heights)) {
        for await (const { height, record } of source.records(from, to)) {
          const checked = checkedRow(record, { height, chainId, now });
          if (checked instanceof BlockError) failures.push(`${node}: ${checked.message}`);
          else addReply(known.get(height)!, checked, node);
        }
      }
    } catch (error) {
      if (!(error instanceof BlockError || error instanceof ConfigError)) throw error;
      failures.push(error.message);
    }
  }
  for (const { others } of known.values()) others.sort((a, b) => b.nodes.length - a.nodes.length);
  return { replies: [...known.values()], failures };
}

const hasReplies = ({ stored, others }: BlockReplies): boolean => stored.nodes.length + others.length > 0;

/** Returns the replacement on which all nodes agree. Returns undefined if a node confirms the stored block. */
function agreedOther({ stored, others }: BlockReplies, { comparesAll }: Nodes): OtherBlock | undefined {
  const [other] = others;
  const isAgreed = stored.nodes.length === 0 && others.length === 1 && (!comparesAll || other!.nodes.length > 1);
  return isAgreed ? other : undefined;
}

/** Returns the first contradiction between a replacement and its neighbouring blocks. */
async function misfit(
  { nodeChainId: chainId, now }: Nodes,
  database: Database,
  folder: string,
  rows: readonly RawBlock[],
): Promise<BlockError | undefined> {
  const chosen = new Map(rows.map((row) => [row.height, row]));
  const blockAt = async (height: number): Promise<CheckedBlock | undefined> => {
    const row = chosen.get(height) ?? (await storedRow(database, folder, height));
    return row && checkBlock(row.record, { height, chainId, now });
  };
  try {
    for (const height of new Set(rows.flatMap((row) => [row.height, row.height + 1]))) {
      const [before, block] = [await blockAt(height - 1), await blockAt(height)];
      const fault = before && block && linkFault(before.link, block);
      if (fault) return fault;
    }
  } catch (error) {
    if (error instanceof BlockError) return error;
    throw error;
  }
  return undefined;
}

export function disputeText({ height, stored, others }: BlockReplies): string {
  const [same, different] = [stored.nodes, others.flatMap(({ nodes }) => nodes)].map((nodes) => nodes.join(', '));
  return `nodes return different blocks ${height}: ${same || 'none'} the stored one, ${different} another one`;
}

export const heightsText = (heights: readonly number[]): string =>
  runsOf(heights)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
    .join(', ');

function checkedRow(text: string, expected: Expectation): RawBlock | BlockError {
  try {
    return checkBlock(text, expected).row;
  } catch (error) {
    if (error instanceof BlockError) return error;
    throw error;
  }
}

const contentOf = ({ height, record }: RawBlock): string => contentHash(parseRecord(height, record));

function addReply(
  { stored, others }: BlockReplies & { readonly others: OtherBlock[] },
  row: RawBlock,
  node: string,
): void {
  const content = contentOf(row);
  const known = [stored, ...others].find((reply) => reply.content === content);
  if (known) known.nodes.push(node);
  else others.push({ row, content, nodes: [node] });
}

function runsOf(heights: readonly number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const height of heights) {
    const last = runs.at(-1);
    if (last && last[1] === height - 1) last[1] = height;
    else runs.push([height, height]);
  }
  return runs;
}
