/** Runs the jobs of a step, for example to make missing pieces. */
import { cacheKey } from '../../base/cache-key/cache-key.js';
import type { Piece, Pieces } from '../pieces.js';
import { type JobKind, type JobOf, PROGRAMS } from './job-kinds.js';

export interface RunOptions {
  /** After an abort, no further job starts. */
  readonly signal: AbortSignal;
  /**
   * If true, the calling thread may also run the job. If a promise, the calling thread may do so after the promise
   * resolves.
   */
  readonly helps?: true | Promise<void> | undefined;
}

/** Runs jobs, either on threads of this process or on other machines. */
export interface Executor {
  /** Runs a job as soon as a worker is free. */
  run<Kind extends JobKind>(kind: Kind, job: JobOf<Kind>, options: RunOptions): Promise<void>;
}

interface Context {
  readonly executor: Executor;
  readonly signal: AbortSignal;
}

/**
 * Runs jobs and waits until all started jobs have ended. Then throws the first error, if any. After an error, no
 * further job starts.
 * @param jobs a list, or a function that yields jobs when they become available
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

/** How to make a month's piece. `inputs` are hashes or values of everything that the job reads. */
interface Plan<Job> {
  readonly inputs: object;
  readonly job: (folder: string) => Job | Promise<Job>;
}

/**
 * Returns the piece of each month. Runs jobs for missing pieces.
 * @param data reviewed data that the job's program reads
 * @param plan returns the plan for a month, from the pieces of earlier months
 * @param inOrder true if a month's job reads the previous month's piece
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
