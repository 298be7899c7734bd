/**
 * Classifies blocks and caches the rows of each block range. The cache key covers the code and its data. So a nightly
 * run classifies only new ranges. After a change of the code it classifies all ranges again.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ChainAct, Correction } from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { listFolder, removeUnfinished } from '../../base/disk/atomic-files.js';
import { damagedFile } from '../../base/disk/sealed-folder.js';
import { type ArrivingBlocks, whenStored } from '../../chain/block-channel.js';
import { DamagedFileError, lastHeightOfRange, paddedHeight, rawFolder, setAside } from '../../chain/raw-files.js';
import type { Artifacts } from '../artifacts.js';
import { type Notes, type RangeJob, readNotes } from '../jobs/classify/classify-range.js';
import { PROGRAMS } from '../jobs/job-kinds.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';

/**
 * Classifies ranges that are not cached, while later blocks are still being fetched. After the last block has arrived,
 * the main thread also runs jobs.
 * @throws BlockError if a successful transaction cannot be decoded
 */
export async function classify(
  { blocks, corrections }: Pick<Artifacts, 'blocks' | 'corrections'>,
  context: StepContext,
): Promise<Pick<Artifacts, 'classified' | 'notes'>> {
  const { chain, contracts, chainActs } = context.reference;
  const reviewed = { chain, contracts, acts: [...correctedActs(corrections?.list ?? []), ...chainActs] };
  const cache = join(context.config.dataDir, 'classified');
  const key = cacheKey([PROGRAMS.classify], [context.nodeChainId, reviewed]);
  const folder = join(cache, key);
  removeUnfinished(folder);
  const jobsOf = (first: number, last: number) => rangeJobs(folder, first, last, reviewed);
  const earlier = jobsOf(blocks.from, blocks.first - 1);
  const indexed = jobsOf(blocks.first, blocks.last);
  await classifyMissing([...earlier, ...indexed], blocks, context);
  removeOthers(cache, [folder]);
  removeOthers(folder, foldersOf([...earlier, ...indexed]));
  const notes = readNotes(foldersOf(indexed));
  logUnknown(notes, context);
  // Names and voucher traces of tokens from earlier blocks are still valid.
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
 * Converts the operator's `move_coins` corrections to chain acts (coins moved by the chain itself, as in
 * data/reference/chain-acts.json).
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

/** A job whose blocks may not be stored yet. */
type PlannedJob = Omit<RangeJob, 'raw'>;

const foldersOf = (jobs: readonly PlannedJob[]) => jobs.map(({ folder }) => folder);

/** Heights per job at the open end, where a range is not complete. So a night classifies few blocks again. */
const PART_HEIGHTS = 100;

function rangeJobs(
  folder: string,
  first: number,
  last: number,
  reviewed: Pick<RangeJob, 'chain' | 'contracts' | 'acts'>,
): PlannedJob[] {
  const jobs: PlannedJob[] = [];
  for (let height = first; height <= last; height = jobs.at(-1)!.last + 1) {
    const range = lastHeightOfRange(height);
    const until = range <= last ? range : Math.min(lastHeightOfRange(height, PART_HEIGHTS), last);
    const name = `${paddedHeight(height)}-${paddedHeight(until)}`;
    jobs.push({ first: height, last: until, folder: join(folder, name), ...reviewed });
  }
  return jobs;
}

/** Number of blocks that one thread classifies while a new thread loads the program. */
const BLOCKS_WORTH_A_THREAD = 500;

/** Runs jobs whose folder is missing or damaged. */
async function classifyMissing(
  jobs: readonly PlannedJob[],
  { last, arrived }: Pick<ArrivingBlocks, 'last' | 'arrived'>,
  context: StepContext,
): Promise<void> {
  const { config, nodeChainId, pieces, progress } = context;
  const missing: PlannedJob[] = [];
  for (const job of jobs) {
    const damaged = await damagedFile(job.folder);
    if (damaged !== undefined && listFolder(job.folder).length > 0) {
      progress.say('classified rows are damaged and are made again', { file: join(job.folder, damaged) });
    }
    const key = `${basename(dirname(job.folder))}-${basename(job.folder)}`;
    if (!(await pieces.take('classified', key, job.folder))) missing.push(job);
  }
  const total = missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  let done = 0;
  const raw = rawFolder(config.dataDir, nodeChainId);
  const onDone = ({ first, last }: RangeJob) => {
    done += last - first + 1;
    progress.update(done, total);
  };
  try {
    await runJobs(context, 'classify', (signal) => arriving(missing, last, raw, signal), {
      helps: total > BLOCKS_WORTH_A_THREAD ? arrived : 'no new thread',
      onDone,
    });
  } catch (error) {
    if (error instanceof DamagedFileError) {
      const path = join(raw, basename(error.path));
      if (existsSync(path)) setAside(raw, path);
    }
    throw error;
  }
}

/**
 * Yields each job as soon as the file of its blocks is complete, because a file with fewer blocks is replaced when more
 * of them arrive.
 */
async function* arriving(
  jobs: readonly PlannedJob[],
  last: number,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RangeJob> {
  const wanted = jobs.map((job) => ({ from: job.first, to: Math.min(lastHeightOfRange(job.first), last), job }));
  for await (const [{ job }, raw] of whenStored(folder, wanted, signal)) yield { ...job, raw };
}

function removeOthers(folder: string, kept: Iterable<string>): void {
  const paths = new Set(kept);
  for (const name of listFolder(folder)) {
    if (!paths.has(join(folder, name))) rmSync(join(folder, name), { recursive: true });
  }
}
