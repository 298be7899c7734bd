/**
 * The step that classifies what is on disk. A range's rows are kept beside the raw blocks under a name that says what made
 * them, so that a night classifies only the ranges that are new or longer, and all of them after a change of the program.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Night, Notes } from '../night.js';
import { listFolder, removeUnfinished } from '../publish/files.js';
import { classifyRange, NOTES_FILE, type RangeJob } from './classify-range.js';
import { type RangePart, rangeParts } from './index-chain.js';
import { runJobs } from './run-jobs.js';

/** A loader that runs the TypeScript sources as they are does not reach threads. */
const IS_COMPILED = import.meta.filename.endsWith('.js');

/** Folders whose program text decides the rows of a raw block. */
const PROGRAM = ['../chain', '../classify'];

/** Names what makes the rows: the chain's reviewed data and the program that reads and classifies blocks. */
function recipe({ reference, nodeChainId }: Night): string {
  const { chain, contracts } = reference;
  const hash = createHash('sha256').update(JSON.stringify([nodeChainId, chain, contracts]));
  for (const folder of PROGRAM) {
    const path = join(import.meta.dirname, folder);
    for (const file of listFolder(path)) {
      if (/\.(js|ts)$/.test(file)) hash.update(file).update(readFileSync(join(path, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

const partName = ({ first, last }: RangePart) => `${String(first).padStart(10, '0')}-${String(last).padStart(10, '0')}`;

/** Classifies the ranges that are not yet, makes chain_events and coin_movements readable and sums up the notes. */
export async function classifyRanges(night: Night): Promise<void> {
  const { config, span, database, progress, reference, options } = night;
  const { chain, contracts } = reference;
  const cache = join(config.dataDir, 'classified');
  const folder = join(cache, recipe(night));
  removeUnfinished(folder);
  const jobs = rangeParts(night, span.first, span.last).map(
    (part): RangeJob => ({ ...part, folder: join(folder, partName(part)), chain, contracts }),
  );
  const missing = jobs.filter((job) => !existsSync(job.folder));
  let done = 0;
  const total = missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  await runJobs({
    jobs: missing,
    run: classifyRange,
    worker: new URL('./classify-worker.js', import.meta.url),
    threads: IS_COMPILED ? options.workers : 1,
    onDone: ({ first, last }) => {
      done += last - first + 1;
      progress.update(done, total);
    },
  });
  for (const table of ['chain_events', 'coin_movements']) {
    await database.attach(
      table,
      jobs.map((job) => join(job.folder, `${table}.parquet`)),
    );
  }
  night.notes = sumNotes(jobs.map((job) => JSON.parse(readFileSync(join(job.folder, NOTES_FILE), 'utf8'))));
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
