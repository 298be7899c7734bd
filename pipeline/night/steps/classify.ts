/**
 * Classifies blocks and caches the rows of each block range. The cache key covers the program and its data. So a
 * nightly run classifies only new ranges, or all ranges after a change of the program.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChainAct, Correction } from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { listFolder, removeUnfinished } from '../../base/disk/atomic-files.js';
import { damagedFile } from '../../base/disk/sealed-folder.js';
import { lastHeightOfRange, paddedHeight, rawFolder } from '../../chain/raw-files.js';
import type { Artifacts } from '../artifacts.js';
import { classifyRange, type Notes, type RangeJob, readNotes } from '../jobs/classify/classify-range.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';

const WORKER = new URL('../jobs/classify/classify-worker.js', import.meta.url);

/**
 * Classifies ranges that are not cached, while later blocks are still being fetched. After the last block, this thread
 * classifies too.
 * @throws BlockError if a successful transaction cannot be decoded
 */
export async function classify(
  { blocks, corrections }: Pick<Artifacts, 'blocks' | 'corrections'>,
  context: StepContext,
): Promise<Pick<Artifacts, 'classified' | 'notes'>> {
  const { chain, contracts, chainActs } = context.reference;
  const reviewed = { chain, contracts, acts: [...correctedActs(corrections?.list ?? []), ...chainActs] };
  const cache = join(context.config.dataDir, 'classified');
  const key = cacheKey([fileURLToPath(WORKER)], [context.nodeChainId, reviewed]);
  const folder = join(cache, key);
  removeUnfinished(folder);
  const jobsOf = (first: number, last: number) => rangeJobs(folder, { first, last }, reviewed, context);
  const earlier = jobsOf(blocks.from, blocks.first - 1);
  const indexed = jobsOf(blocks.first, blocks.last);
  await classifyMissing([...earlier, ...indexed], blocks.arrived, context);
  removeOthers(cache, [folder]);
  removeOthers(folder, foldersOf([...earlier, ...indexed]));
  const notes = readNotes(foldersOf(indexed));
  logUnknown(notes, context);
  // Token names and voucher traces in blocks before the index are still valid.
  const before = readNotes(foldersOf(earlier));
  return {
    classified: { key, earlier: foldersOf(earlier), indexed: foldersOf(indexed) },
    notes: {
      ...notes,
      denomMetadata: [...before.denomMetadata, ...notes.denomMetadata],
      voucherTraces: [...new Set([...before.voucherTraces, ...notes.voucherTraces])],
    },
  };
}

/**
 * Converts the operator's `move_coins` corrections to chain acts, which have the form of
 * data/reference/chain-acts.json.
 */
function correctedActs(corrections: readonly Correction[]): ChainAct[] {
  return corrections.flatMap(({ height, what, source }) =>
    what.flatMap((change): ChainAct[] => {
      if (change.kind !== 'move_coins') return [];
      const { from, to } = change;
      const act = { height, from, to, amount: 'all', reason: 'named by a correction', source } as const;
      return [{ ...act, sent_as: 'contract_deposit', received_as: 'contract_withdrawal' }];
    }),
  );
}

function logUnknown({ unreviewedMoves, unknownTypes, undecoded }: Notes, { progress }: StepContext): void {
  const isSome = (counts: Readonly<Record<string, number>>) => Object.keys(counts).length > 0;
  if (isSome(unreviewedMoves))
    progress.say(
      'the chain itself moved coins of wallets: review them in data/reference/chain-acts.json or a correction',
      { unreviewed_moves: unreviewedMoves },
    );
  if (isSome(unknownTypes)) progress.say('messages of unknown types', { unknown_message_types: unknownTypes });
  if (isSome(undecoded))
    progress.say('messages that cannot be decoded as their type', { undecoded_messages: undecoded });
}

const foldersOf = (jobs: readonly RangeJob[]) => jobs.map(({ folder }) => folder);

function rangeJobs(
  folder: string,
  { first, last }: Pick<RangeJob, 'first' | 'last'>,
  reviewed: Pick<RangeJob, 'chain' | 'contracts' | 'acts'>,
  { config, nodeChainId }: StepContext,
): RangeJob[] {
  const raw = rawFolder(config.dataDir, nodeChainId);
  const jobs: RangeJob[] = [];
  for (let height = first; height <= last; height = jobs.at(-1)!.last + 1) {
    const until = Math.min(lastHeightOfRange(height), last);
    const name = `${paddedHeight(height)}-${paddedHeight(until)}`;
    jobs.push({ rawFolder: raw, first: height, last: until, folder: join(folder, name), ...reviewed });
  }
  return jobs;
}

/**
 * Runs jobs whose folder is missing or damaged. Runs a single job in this thread, because starting a thread would take
 * longer.
 */
async function classifyMissing(jobs: readonly RangeJob[], arrived: Promise<void>, context: StepContext): Promise<void> {
  const { options, progress, signal } = context;
  const missing: RangeJob[] = [];
  for (const job of jobs) {
    const damaged = await damagedFile(job.folder);
    if (damaged === undefined) continue;
    missing.push(job);
    if (listFolder(job.folder).length === 0) continue;
    progress.say('classified rows are damaged and are made again', { file: join(job.folder, damaged) });
  }
  const total = missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  let done = 0;
  await runJobs({
    jobs: missing,
    run: classifyRange,
    worker: WORKER,
    threads: missing.length > 1 ? options.workers : 0,
    helpAfter: arrived,
    signal,
    onDone: ({ first, last }) => {
      done += last - first + 1;
      progress.update(done, total);
    },
  });
}

function removeOthers(folder: string, kept: Iterable<string>): void {
  const paths = new Set(kept);
  for (const name of listFolder(folder)) {
    if (!paths.has(join(folder, name))) rmSync(join(folder, name), { recursive: true });
  }
}
