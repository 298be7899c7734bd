/** `hubledger refetch`: fetches stored blocks again, and replaces those that the nodes now give otherwise. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { disputeText, heightsText } from '../../pipeline/chain/ask-again.js';
import { readConfig } from '../../pipeline/config.js';
import { SpanError } from '../../pipeline/config-error.js';
import { unfinished } from '../../pipeline/disk/atomic-files.js';
import { takeLock } from '../../pipeline/disk/lock.js';
import { Database } from '../../pipeline/duckdb/database.js';
import { type Refetched, refetchBlocks } from '../../pipeline/jobs/chain/refetch-blocks.js';
import { loggedProgress, type Progress, terminalProgress } from '../../pipeline/progress.js';
import { loadReference } from '../../pipeline/reference.js';
import { wholeNumber } from './whole-number.js';

/** Exit codes: blocks that nodes dispute, and heights that are not in the index. */
const [DISPUTED, WRONG_HEIGHTS] = [1, 2];

const STEP = 'fetch again';

async function refetch(from: number, to: number): Promise<void> {
  const config = readConfig();
  const { dataDir, rpcUrls } = config;
  const nodeChainId = config.nodeChainId ?? loadReference().chain.node_chain_id;
  const progress = process.stdout.isTTY
    ? terminalProgress((text) => process.stdout.write(text))
    : loggedProgress(config.logLevel);
  const release = await takeLock(dataDir, 'night', 'a night is running already');
  try {
    const database = await Database.open(unfinished(join(dataDir, 'refetch-spill')), { threads: 1 });
    const began = performance.now();
    progress.begin(STEP);
    try {
      const update = (done: number, total: number) => progress.update(STEP, done, total);
      const now = Math.max(Date.now(), config.now().getTime());
      const outcome = await refetchBlocks(
        { rpcUrls, nodeChainId, now, comparesAll: config.crossCheck === 1 },
        database,
        dataDir,
        { from, to },
        update,
      );
      progress.end(STEP, performance.now() - began);
      report(outcome, to - from + 1, progress);
    } finally {
      database.close();
    }
  } catch (error) {
    progress.fail(STEP);
    if (!(error instanceof SpanError)) throw error;
    console.error(`hubledger: ${error.message}`);
    process.exitCode = WRONG_HEIGHTS;
  } finally {
    release();
  }
}

function report({ replaced, files, disputed }: Refetched, count: number, progress: Progress): void {
  const heights = heightsText(replaced.map(({ row }) => row.height));
  const nodes = [...new Set(replaced.flatMap((block) => block.nodes))];
  if (replaced.length === 0) progress.say(`${count} blocks fetched again: none is replaced`);
  else progress.say(`blocks differ and are replaced: ${heights} (${nodes.join(', ')})`, { heights, nodes });
  for (const file of files) progress.say(`the old file is kept: ${file}`, { file });
  if (replaced.length > 0) {
    progress.say('the next night publishes them; if published rows go by that, it asks for --allow-loss');
  }
  if (disputed.length === 0) return;
  for (const answers of disputed) console.error(`hubledger: ${disputeText(answers)}`);
  console.error('hubledger: run it again without the node that you do not trust in HUBLEDGER_RPC_URLS');
  process.exitCode = DISPUTED;
}

const HELP = `
Run it when a figure is wrong though every audit passes, as \`verify --against-node\` may find. A block that all nodes give otherwise is
replaced; its old file stays beside as <name>.<number>.replaced. The next night makes everything anew that rests on it.`;

/** Declares arguments and action. */
export function declare(command: Command): void {
  command
    .argument('<from>', 'first height', wholeNumber)
    .argument('<to>', 'last height, inclusive', wholeNumber)
    .addHelpText('after', HELP)
    .action(refetch);
}
