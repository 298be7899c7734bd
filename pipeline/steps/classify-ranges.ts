/**
 * The step that classifies what is on disk. A range's rows are kept beside the raw blocks under a name that says what made
 * them, so that a night classifies only the ranges that are new or longer, and all of them after a change of the program.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Night, Notes } from '../night.js';
import { listFolder, removeUnfinished } from '../publish/files.js';
import { classifyRange, NOTES_FILE, RANGE_TABLES, type RangeJob } from './classify-range.js';
import { type RangePart, rangeParts } from './index-chain.js';
import { paddedHeight, recipe } from './recipe.js';
import { runJobs } from './run-jobs.js';

/** Folders whose program text decides the rows of a raw block. */
const PROGRAM = ['chain', 'classify'];

const partName = ({ first, last }: RangePart) => `${paddedHeight(first)}-${paddedHeight(last)}`;

/**
 * Classifies the ranges that are not yet, from the first block after the starting state on, sums up the notes and makes the
 * rows readable: those of the index, and under names that begin with `earlier_` those of the blocks before it.
 */
export async function classifyRanges(night: Night): Promise<void> {
  const { config, span, database, progress, reference, options, nodeChainId } = night;
  const { chain, contracts } = reference;
  const cache = join(config.dataDir, 'classified');
  const folder = join(cache, recipe([nodeChainId, chain, contracts], PROGRAM));
  removeUnfinished(folder);
  const jobOf = (part: RangePart): RangeJob => ({ ...part, folder: join(folder, partName(part)), chain, contracts });
  const earlier = rangeParts(night, span.from, span.first - 1).map(jobOf);
  const indexed = rangeParts(night, span.first, span.last).map(jobOf);
  const jobs = [...earlier, ...indexed];
  const missing = jobs.filter((job) => !existsSync(job.folder));
  let done = 0;
  const total = missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  await runJobs({
    jobs: missing,
    run: classifyRange,
    worker: new URL('./classify-worker.js', import.meta.url),
    threads: missing.length > 1 ? options.workers : 0,
    onDone: ({ first, last }) => {
      done += last - first + 1;
      progress.update(done, total);
    },
  });
  for (const table of RANGE_TABLES) {
    const filesOf = (parts: readonly RangeJob[]) => parts.map((job) => join(job.folder, `${table}.parquet`));
    await database.attach(table, filesOf(indexed), table === 'chain_events' ? 'classified_events' : table);
    await database.attach(table, filesOf(earlier), `earlier_${table}`);
  }
  night.notes = sumNotes(indexed.map((job) => JSON.parse(readFileSync(join(job.folder, NOTES_FILE), 'utf8'))));
  removeOthers(cache, [folder]);
  removeOthers(
    folder,
    jobs.map((job) => job.folder),
  );
}

/** Removes the rows that an older program, or a shorter range, left behind. */
function removeOthers(folder: string, kept: readonly string[]): void {
  for (const name of listFolder(folder)) {
    if (!kept.includes(join(folder, name))) rmSync(join(folder, name), { recursive: true });
  }
}

function sumNotes(all: readonly Notes[]): Notes {
  return {
    unclassified: sumCounts(all.map((notes) => notes.unclassified)),
    unknownTypes: sumCounts(all.map((notes) => notes.unknownTypes)),
    oversized: all.flatMap((notes) => notes.oversized),
    denomMetadata: all.flatMap((notes) => notes.denomMetadata),
  };
}

/** Counts added up by name, in the order of the names. */
function sumCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}
