import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Correction } from '../../../schemas/types.generated.js';
import { listFolder } from '../../base/disk/atomic-files.js';
import type { ArrivingBlocks } from '../../chain/block-channel.js';
import { crossCheckSecret } from '../../chain/cross-check.js';
import type { IndexedHeights } from '../../chain/index-blocks.js';
import { readsNode } from '../../config.js';
import { unknownUpgradeNote } from '../../holdings/state-changes.js';
import { keptEdges } from '../../publish/generation.js';
import type { Artifacts, FoldedHoldings, StartingPoint } from '../artifacts.js';
import { type ChainJob, type ChainProgress, readChain } from '../jobs/chain/read-chain.js';
import { HoldingsFolder } from '../jobs/fold/holdings-folder.js';
import { runOnThread } from '../jobs/threads.js';
import type { StepContext } from '../night.js';

/**
 * Fetches missing blocks. If there is a starting state, also computes holdings block by block (the fold).
 * @returns the range of blocks as soon as it is known; `folded` resolves when the fold ends, which may be before the
 * last block
 * @throws ConfigError or BlockError (see readChain)
 */
export async function indexAndFold(
  { state, corrections }: Pick<Artifacts, 'state' | 'corrections'>,
  context: StepContext,
): Promise<{ blocks: ArrivingBlocks; start: Artifacts['start']; folded: Promise<Artifacts['folded']> }> {
  const [heights, indexed] = [deferred<IndexedHeights>(), deferred<void>()];
  const idle = (corrections?.list ?? [])
    .map(({ height }) => height)
    .filter((height) => !state || height <= state.height);
  if (idle.length > 0) {
    const found = state ? `the starting state has height ${state.height}` : 'there is no starting state';
    context.progress.say(`corrections have no effect: ${found}`, { heights: idle });
  }
  const finished = runChainJob(state, corrections?.list ?? [], context, (progress) => {
    if (progress.heights) heights.resolve(progress.heights);
    if (progress.damaged) {
      context.progress.say('a file of raw blocks is damaged: its blocks are fetched again', { file: progress.damaged });
    }
    if (progress.damagedHoldings) {
      context.progress.say('holdings are damaged and are folded again from that block', {
        file: progress.damagedHoldings,
      });
    }
    if (progress.fetched) context.progress.update(...progress.fetched);
    if (progress.uncompared) {
      context.progress.say('no second node answered for heights of the cross-check', {
        heights: progress.uncompared,
      });
    }
    if (progress.isIndexed) indexed.resolve();
    // Warns only if a node is read. With a recording the warning is useless, because the recording ends before the
    // upgrade.
    if (progress.unknownUpgrade && readsNode(context.config))
      context.progress.say(unknownUpgradeNote(progress.unknownUpgrade));
  });
  for (const { promise, reject } of [heights, indexed]) {
    finished.catch(reject);
    promise.catch(() => {});
  }
  const known = await heights.promise;
  const start = state && state.height < known.last ? state : undefined;
  if (state && !start) {
    const { height } = state;
    context.progress.say(`there are no holdings yet: the starting state has height ${height}`, { last: known.last });
  }
  const folded = finished.then(() => start && takeFolded(start, known.last, context));
  return { blocks: { ...known, arrived: indexed.promise }, start, folded };
}

function runChainJob(
  state: StartingPoint | undefined,
  corrections: readonly Correction[],
  { config, options, nodeChainId, reference, signal }: StepContext,
  onProgress: (progress: ChainProgress) => void,
): Promise<void> {
  const job: ChainJob = {
    rpcUrls: config.rpcUrls,
    nodeHeaders: config.nodeHeaders,
    dataDir: config.dataDir,
    nodeChainId,
    indexStart: config.indexStart,
    isDefaultStart: config.isDefaultStart,
    tipDistance: config.tipDistance,
    now: config.now().getTime(),
    crossCheck:
      config.rpcUrls.length > 1 ? { share: config.crossCheck, secret: crossCheckSecret(config.dataDir) } : undefined,
    from: options.from,
    until: options.until,
    stateHeight: state?.height,
    holdings: state?.folder,
    reviewed: { upgrades: reference.upgrades, corrections },
    countries: reference.countries,
    edges: [...config.edges, ...keptEdges(config.dataDir)],
  };
  const worker = new URL('../jobs/chain/chain-worker.js', import.meta.url);
  const onThread = options.workers > 0;
  return runOnThread({ job, run: readChain, worker, onThread, heap: config.stateHeap, signal, onProgress });
}

/**
 * Returns the fold's result. @throws DifferentBlocks if nodes now return other blocks near the height at which the fold
 * stopped
 */
async function takeFolded(
  { folder }: StartingPoint,
  last: number,
  { progress, healing }: StepContext,
): Promise<FoldedHoldings> {
  const holdings = new HoldingsFolder(folder);
  const { until, stop } = holdings.end(last)!;
  if (stop) await healing.expectSameAt(stop);
  if (stop) progress.say(`holdings end at block ${until}: ${stop.reason}`, { holdings_until: until, last });
  holdings.tidy(until);
  for (const other of listFolder(dirname(folder))) {
    const path = join(dirname(folder), other);
    if (path !== folder) rmSync(path, { recursive: true });
  }
  return { folders: holdings.folders(until), until, stop };
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** Replaces Promise.withResolvers, which Node.js 20 lacks. */
function deferred<Value>(): Deferred<Value> {
  let [resolve, reject]: [Deferred<Value>['resolve'], Deferred<Value>['reject']] = [() => {}, () => {}];
  const promise = new Promise<Value>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}
