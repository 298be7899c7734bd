/** Runs the jobs of a step, and makes pieces by jobs. */
import { cacheKey } from '../../base/cache-key/cache-key.js';
import type { Piece, Pieces } from '../pieces.js';
import { type JobKind, type JobOf, PROGRAMS } from './job-kinds.js';

export interface RunOptions {
  /** If it aborts, jobs that have not begun do not start. */
  readonly signal: AbortSignal;
  /** If true, the calling thread may run the job too. If a promise, only after it resolves. */
  readonly helps?: true | Promise<void> | undefined;
}

/** Runs jobs somewhere: on threads of this process, or on other machines. */
export interface Executor {
  /** Runs one job as soon as there is a free worker. */
  run<Kind extends JobKind>(kind: Kind, job: JobOf<Kind>, options: RunOptions): Promise<void>;
}

interface Context {
  readonly executor: Executor;
  readonly signal: AbortSignal;
}

/**
 * Waits until all started jobs have ended, then throws the first error. After an error, no further job starts.
 * @param jobs a function returns jobs that become available later
 */
export async function runJobs<Kind extends JobKind>(
  { executor, signal }: Context,
  kind: Kind,
  jobs: readonly JobOf<Kind>[] | ((signal: AbortSignal) => AsyncIterable<JobOf<Kind>>),
  { helps, onDone }: Pick<RunOptions, 'helps'> & { readonly onDone?: (job: JobOf<Kind>) => void } = {},
): Promise<void> {
  const failed = new AbortController();
  const options = { signal: AbortSignal.any([signal, failed.signal]), helps };
  const fail = (error: unknown) => failed.abort(error);
  const started: Promise<void>[] = [];
  try {
    for await (const job of typeof jobs === 'function' ? jobs(options.signal) : jobs) {
      const done = executor.run(kind, job, options).then(() => onDone?.(job));
      started.push(done.catch(fail));
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(started);
  failed.signal.throwIfAborted();
}

/** A month's piece. `inputs` are hashes or values of everything that its job reads. */
interface Plan<Job> {
  readonly inputs: object;
  readonly job: (folder: string) => Job | Promise<Job>;
}

/**
 * Finds the piece of each month, and runs jobs for missing pieces.
 * @param data reviewed data that the job's program reads
 * @param plan may use the pieces of the months before
 * @param inOrder true if a month's job reads the piece of the month before
 */
export async function makePieces<Kind extends Exclude<JobKind, 'classify'>, Month>(
  context: Context & { readonly pieces: Pieces },
  kind: Kind,
  data: unknown,
  months: readonly Month[],
  plan: (month: Month, before: readonly Piece[]) => Plan<JobOf<Kind>>,
  inOrder = false,
): Promise<Piece[]> {
  const program = cacheKey([PROGRAMS[kind]], data);
  const found: Piece[] = [];
  const jobs: JobOf<Kind>[] = [];
  for (const month of months) {
    const { inputs, job } = plan(month, found);
    const piece = await context.pieces.find(kind, { program, ...inputs });
    found.push(piece);
    if (!piece.isThere) jobs.push(await job(piece.folder));
  }
  if (inOrder) for (const job of jobs) await runJobs(context, kind, [job]);
  else await runJobs(context, kind, jobs, { helps: true });
  return found;
}
