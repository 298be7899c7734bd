/**
 * The step that classifies what is on disk. A range's rows are kept beside the raw blocks under a name that says what made
 * them, so that a night classifies only the ranges that are new or longer, and all of them after a change of the program.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../cache-key/cache-key.js';
import { lastHeightOfRange, paddedHeight, rawFolder } from '../chain/raw-files.js';
import { listFolder, removeUnfinished } from '../disk/atomic-files.js';
import { classifyRange, NOTES_FILE, RANGE_TABLES, type RangeJob } from '../jobs/classify/classify-range.js';
import { sumNotes } from '../jobs/classify/notes.js';
import { beginJobs, HAS_THREADS, type Underway } from '../jobs/run-jobs.js';
import type { Night, Span } from '../night.js';

/** The entry module of the job. */
const WORKER = new URL('../jobs/classify/classify-worker.js', import.meta.url);

/** Where all rows are kept; those of one program and one chain lie in a folder of it. */
const cacheFolder = ({ config }: Night) => join(config.dataDir, 'classified');

/** What is to be there for a night, and where. */
interface Plan {
  readonly folder: string;
  /** Of the blocks before the index, from the starting state on. */
  readonly earlier: readonly RangeJob[];
  readonly indexed: readonly RangeJob[];
}

type Heights = Pick<Span, 'from' | 'first' | 'last'>;

function planOf(night: Night, { from, first, last }: Heights): Plan {
  const { config, nodeChainId } = night;
  const { chain, contracts } = night.reference;
  const folder = join(cacheFolder(night), cacheKey([fileURLToPath(WORKER)], [nodeChainId, chain, contracts]));
  const raw = rawFolder(config.dataDir, nodeChainId);
  const jobs = (begin: number, end: number) => {
    const found: RangeJob[] = [];
    for (let height = begin; height <= end; height = found.at(-1)!.last + 1) {
      const until = Math.min(lastHeightOfRange(height), end);
      const name = `${paddedHeight(height)}-${paddedHeight(until)}`;
      found.push({ rawFolder: raw, first: height, last: until, folder: join(folder, name), chain, contracts });
    }
    return found;
  };
  return { folder, earlier: jobs(from, first - 1), indexed: jobs(first, last) };
}

const missingOf = ({ earlier, indexed }: Plan) => [...earlier, ...indexed].filter(({ folder }) => !existsSync(folder));

/**
 * Begins to classify while the blocks still arrive. Where it is not worth a thread, or without threads, it does not begin so
 * early.
 */
export function beginClassification(night: Night, heights: Heights): void {
  const plan = planOf(night, heights);
  if (HAS_THREADS && missingOf(plan).length > 1) night.classification = classify(night, plan, night.options.workers);
}

/**
 * Classifies the ranges that are not yet, from the first block after the starting state on, sums up the notes and makes the
 * rows readable: those of the index, and under names that begin with `earlier_` those of the blocks before it.
 */
export async function classifyRanges(night: Night): Promise<void> {
  const { span, database } = night;
  const plan = planOf(night, span);
  night.classification ??= classify(night, plan, 0);
  await night.classification.help();
  const { folder, earlier, indexed } = plan;
  for (const table of RANGE_TABLES) {
    const filesOf = (jobs: readonly RangeJob[]) => jobs.map((job) => join(job.folder, `${table}.parquet`));
    await database.attach(table, filesOf(indexed), table === 'chain_events' ? 'classified_events' : table);
    await database.attach(table, filesOf(earlier), `earlier_${table}`);
  }
  night.notes = sumNotes(indexed.map((job) => JSON.parse(readFileSync(join(job.folder, NOTES_FILE), 'utf8'))));
  removeOthers(cacheFolder(night), [folder]);
  removeOthers(
    folder,
    [...earlier, ...indexed].map((job) => job.folder),
  );
}

function classify(night: Night, plan: Plan, threads: number): Underway {
  removeUnfinished(plan.folder);
  const missing = missingOf(plan);
  let done = 0;
  const total = missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return beginJobs({
    jobs: missing,
    run: classifyRange,
    worker: WORKER,
    threads,
    onDone: ({ first, last }) => {
      done += last - first + 1;
      if (night.span) night.progress.update(done, total); // until then the bar is that of the index
    },
  });
}

/** Removes the rows that an older program, or a shorter range, left behind. */
function removeOthers(folder: string, kept: readonly string[]): void {
  for (const name of listFolder(folder)) {
    if (!kept.includes(join(folder, name))) rmSync(join(folder, name), { recursive: true });
  }
}
