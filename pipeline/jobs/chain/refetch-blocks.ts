/** Fetches stored blocks again for an operator, and replaces those for which all nodes give the same different block. */
import {
  type Answers,
  agreedOther,
  askAgain,
  isAnswered,
  misfit,
  type Nodes,
  type OtherBlock,
} from '../../chain/ask-again.js';
import { listRanges, rawFolder } from '../../chain/raw-files.js';
import { ConfigError, SpanError } from '../../config-error.js';
import type { Database } from '../../duckdb/database.js';
import { replaceBlocks } from './replace-blocks.js';

/** The outcome of fetching blocks again. */
export interface Refetched {
  readonly replaced: readonly OtherBlock[];
  /** Paths of the files that were set aside. */
  readonly files: readonly string[];
  /** Stored blocks that some nodes confirm and others contradict: they stay. */
  readonly disputed: readonly Answers[];
}

/**
 * Fetches the blocks from..to again. The caller holds the lock of the night. Nothing is replaced unless all of them were answered.
 * @throws SpanError when one is not stored @throws ConfigError when no node gives one
 * @throws BlockError when a block does not fit those before and after it
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
  const disputed: Answers[] = [];
  const wanted = ranges.flatMap((range) => {
    const heights = [];
    for (let height = Math.max(from, range.from); height <= Math.min(to, range.to); height++) heights.push(height);
    return heights.length > 0 ? [{ range, heights }] : [];
  });
  const [count, total] = [wanted.reduce((sum, { heights }) => sum + heights.length, 0), to - from + 1];
  if (count < total) {
    const stored = ranges.length > 0 ? `blocks ${ranges[0]!.from}-${ranges.at(-1)!.to}` : 'none';
    throw new SpanError(`blocks ${from}-${to} are not all stored; the data folder has ${stored}`);
  }
  let done = 0;
  for (const { range, heights } of wanted) {
    const inquiry = await askAgain(nodes, database, range, heights);
    const open = inquiry.answers.find((answers) => !isAnswered(answers));
    if (open) throw new ConfigError(`no node gives block ${open.height}: ${inquiry.failures.join('; ')}`);
    for (const answers of inquiry.answers) {
      const other = agreedOther(answers, nodes);
      if (other) replaced.push(other);
      else if (answers.others.length > 0) disputed.push(answers);
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
