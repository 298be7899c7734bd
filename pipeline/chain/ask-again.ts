/**
 * Asks all nodes again for stored blocks that contradict other data. No hash proves a block's events, so the answers of
 * all nodes decide which block is right.
 */
import { dirname } from 'node:path';
import type { RawBlock } from '../../schemas/types.generated.js';
import { ConfigError } from '../config-error.js';
import type { Database } from '../duckdb/database.js';
import { BlockError } from './block-error.js';
import { parseRecord } from './block-record.js';
import { type CheckedBlock, checkBlock, type Expectation, linkFault } from './check-block.js';
import { contentHash } from './cross-check.js';
import { openSource } from './nodes/open-source.js';
import { type RawRange, settingAside } from './raw-files.js';
import { readRows, storedRow } from './read-blocks.js';

export interface Nodes {
  readonly rpcUrls: readonly string[];
  readonly nodeChainId: string;
  /** Milliseconds since the epoch. A block with a later time is rejected. */
  readonly now: number;
  /** True if HUBLEDGER_CROSS_CHECK covers all heights. Two nodes must then agree before a block is replaced. */
  readonly comparesAll: boolean;
}

interface GivenBlock {
  readonly content: string;
  readonly nodes: string[];
}

export interface OtherBlock extends GivenBlock {
  readonly row: RawBlock;
}

export interface Answers {
  readonly height: number;
  readonly stored: GivenBlock;
  readonly others: readonly OtherBlock[];
}

export interface Inquiry {
  readonly answers: readonly Answers[];
  readonly failures: readonly string[];
}

/**
 * Asks the preferred node last.
 * @param heights of one file, ascending
 */
export async function askAgain(
  { rpcUrls, nodeChainId, now }: Nodes,
  database: Database,
  range: RawRange,
  heights: readonly number[],
): Promise<Inquiry> {
  const known = new Map<number, Answers & { readonly others: OtherBlock[] }>();
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
      const source = openSource([url]);
      const { chainId } = await source.status();
      if (chainId !== nodeChainId) throw new ConfigError(`${node} serves chain ${chainId}, expected ${nodeChainId}`);
      for (const [from, to] of runsOf(heights)) {
        for await (const { height, record } of source.records(from, to)) {
          const checked = checkedRow(record, { height, chainId, now });
          if (checked instanceof BlockError) failures.push(`${node}: ${checked.message}`);
          else addAnswer(known.get(height)!, checked, node);
        }
      }
    } catch (error) {
      if (!(error instanceof BlockError || error instanceof ConfigError)) throw error;
      failures.push(error.message);
    }
  }
  for (const { others } of known.values()) others.sort((a, b) => b.nodes.length - a.nodes.length);
  return { answers: [...known.values()], failures };
}

export const isAnswered = ({ stored, others }: Answers): boolean => stored.nodes.length + others.length > 0;

/** Returns the other block if all nodes agree on it; undefined if any node confirms the stored block. */
export function agreedOther({ stored, others }: Answers, { comparesAll }: Nodes): OtherBlock | undefined {
  const [other] = others;
  const isAgreed = stored.nodes.length === 0 && others.length === 1 && (!comparesAll || other!.nodes.length > 1);
  return isAgreed ? other : undefined;
}

/**
 * Returns why a row contradicts a neighbouring block, or undefined.
 * @param rows replacements for stored blocks; their neighbours are other rows or stored blocks
 */
export async function misfit(
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

export function disputeText({ height, stored, others }: Answers): string {
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

function addAnswer({ stored, others }: Answers & { readonly others: OtherBlock[] }, row: RawBlock, node: string): void {
  const content = contentOf(row);
  const known = [stored, ...others].find((answer) => answer.content === content);
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
