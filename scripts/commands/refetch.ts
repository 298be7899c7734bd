/** `hubledger refetch`: fetches stored blocks again and replaces blocks that differ. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { SpanError } from '../../pipeline/base/config-error.js';
import { unfinished } from '../../pipeline/base/disk/atomic-files.js';
import { takeLock } from '../../pipeline/base/disk/lock.js';
import { Database } from '../../pipeline/base/duckdb/database.js';
import { readConfig } from '../../pipeline/config.js';
import { disputeText, heightsText, type Refetched, refetchBlocks } from '../../pipeline/night/jobs/chain/healing.js';
import { openProgress, type Progress } from '../../pipeline/night/progress.js';
import { loadReference } from '../../pipeline/reference.js';
import { wholeNumber } from './arguments.js';

/** Exit code 1: the nodes disagree. Exit code 2: a height is outside the index. */
const [DISPUTED, WRONG_HEIGHTS] = [1, 2];

const STEP = 'fetch again';

async function refetch(from: number, to: number): Promise<void> {
  const config = readConfig();
  const { dataDir, rpcUrls, nodeHeaders } = config;
  const nodeChainId = config.nodeChainId ?? loadReference().chain.node_chain_id;
  const progress = openProgress(config.logLevel);
  const release = await takeLock(dataDir, 'night', 'a nightly run is already in progress');
  try {
    const database = await Database.open(unfinished(join(dataDir, 'refetch-spill')), { threads: 1 });
    const began = performance.now();
    progress.begin(STEP);
    try {
      const update = (done: number, total: number) => progress.update(STEP, done, total);
      const now = Math.max(Date.now(), config.now().getTime());
      const outcome = await refetchBlocks(
        { rpcUrls, nodeHeaders, nodeChainId, now, comparesAll: config.crossCheck === 1 },
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
  if (replaced.length === 0) progress.say(`${count} blocks fetched again: none replaced`);
  else progress.say(`blocks differ and were replaced: ${heights} (${nodes.join(', ')})`, { heights, nodes });
  for (const file of files) progress.say(`old file kept: ${file}`, { file });
  if (replaced.length > 0) {
    progress.say('the next nightly run publishes them; it needs --allow-loss if published rows disappear');
  }
  if (disputed.length === 0) return;
  for (const answers of disputed) console.error(`hubledger: ${disputeText(answers)}`);
  console.error('hubledger: remove the node that you do not trust from HUBLEDGER_RPC_URLS and run it again');
  process.exitCode = DISPUTED;
}

const HELP = `
Use this command if an amount is wrong although every audit passes, for example after \`verify --against-node\` failed.
A block is replaced if all nodes return another block. The old file is kept as <name>.<number>.replaced.
The next nightly run computes everything again that depends on a replaced block.`;

export const examples = ['1200 1250'];

export function declare(command: Command): void {
  command
    .argument('<from>', 'first height', wholeNumber)
    .argument('<to>', 'last height, inclusive', wholeNumber)
    .addHelpText('after', HELP)
    .action(refetch);
}
