/** Runs the jobs of a step, for example to make missing pieces. */
import { cacheKey } from '../../base/cache-key/cache-key.js';
import type { Piece, Pieces } from '../pieces.js';
import { type JobKind, type JobOf, PROGRAMS } from './job-kinds.js';

export interface RunOptions {
  /** After an abort, no further job starts. */
  readonly signal: AbortSignal;
  /**
   * If true, the calling thread may also run the job. If a promise, the calling thread may do so after the promise
   * resolves. If 'no new thread', the calling thread or a free thread runs the job: the job is so small that a new
   * thread would need longer to load the program.
   */
  readonly helps?: true | 'no new thread' | Promise<void> | undefined;
}

/** Runs jobs, either on threads of this process or on other machines. */
export interface Executor {
  /** Runs a job as soon as a worker is free. */
  run<Kind extends JobKind>(kind: Kind, job: JobOf<Kind>, options: RunOptions): Promise<void>;
}

/** Number of rows that one thread replays and audits while a new thread loads the program. */
const ROWS_WORTH_A_THREAD = 20_000;

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

/** How to make a piece. `inputs` are hashes or values of everything that the job reads. */
interface Plan<Job> {
  readonly inputs: object;
  readonly job: (folder: string) => Job | Promise<Job>;
}

type PieceKind = Exclude<JobKind, 'classify'>;

interface PieceContext extends Context {
  readonly pieces: Pieces;
}

/**
 * Returns the piece of each month. Runs jobs for missing pieces.
 * @param data reviewed data that the job's program reads
 */
export async function makePieces<Kind extends PieceKind, Month>(
  context: PieceContext,
  kind: Kind,
  data: unknown,
  months: readonly Month[],
  plan: (month: Month) => Plan<JobOf<Kind>>,
): Promise<Piece[]> {
  const program = programKey(kind, data);
  const found: Piece[] = [];
  const jobs = async function* () {
    for (const month of months) {
      const { inputs, job } = plan(month);
      const piece = await context.pieces.find(kind, { program, ...inputs });
      found.push(piece);
      if (!piece.isThere) yield await job(piece.folder);
    }
  };
  await runJobs(context, kind, jobs, { helps: true });
  return found;
}

/** A piece whose job may not have ended. */
export interface ComingPiece extends Piece {
  made: Promise<void>;
}

/** The job starts when the pieces of `after` are made. */
interface LaterPlan<Job> extends Plan<Job> {
  readonly after: readonly ComingPiece[];
  /** Number of rows that the job reads. */
  readonly rows: number;
}

export interface ComingPieces {
  readonly pieces: readonly ComingPiece[];
  /** Waits until all started jobs have ended, then throws the first error. */
  readonly all: Promise<void>;
}

/**
 * Returns the hash of the program that makes pieces of a kind.
 * @param data reviewed data that the program reads
 */
export const programKey = (kind: PieceKind, data: unknown): string => cacheKey([PROGRAMS[kind]], data);

/**
 * Finds pieces, and starts jobs for missing pieces without waiting for them.
 * @param data reviewed data that the job's program reads
 * @param plan may use the pieces of earlier items
 */
export async function startPieces<Kind extends PieceKind, Item>(
  context: PieceContext,
  kind: Kind,
  data: unknown,
  items: readonly Item[],
  plan: (item: Item, before: readonly ComingPiece[]) => LaterPlan<JobOf<Kind>>,
  helps?: RunOptions['helps'],
): Promise<ComingPieces> {
  const program = programKey(kind, data);
  const pieces: ComingPiece[] = [];
  const missing: [ComingPiece, LaterPlan<JobOf<Kind>>][] = [];
  for (const item of items) {
    const planned = plan(item, pieces);
    const found = await context.pieces.find(kind, { program, ...planned.inputs });
    const piece = { ...found, made: Promise.resolve() };
    pieces.push(piece);
    if (!piece.isThere) missing.push([piece, planned]);
  }
  const makers = missing.map(([piece, { after, rows, job }]): Maker => {
    const make = async (options: RunOptions) => {
      await Promise.all(after.map(({ made }) => made));
      await context.executor.run(kind, await job(piece.folder), options);
    };
    return { piece, rows, make };
  });
  return { pieces, all: startMaking(context, makers, helps) };
}

interface Maker {
  readonly piece: ComingPiece;
  /** Number of rows that the job reads. */
  readonly rows: number;
  readonly make: (options: RunOptions) => Promise<void>;
}

/**
 * Starts to make pieces, in order. A maker may wait for the pieces of earlier ones.
 * @returns a promise that waits until all have ended, then throws the first error
 */
export function startMaking(
  context: Pick<Context, 'signal'>,
  makers: readonly Maker[],
  helps?: RunOptions['helps'],
): Promise<void> {
  const failed = new AbortController();
  const isSmall = makers.reduce((sum, { rows }) => sum + rows, 0) < ROWS_WORTH_A_THREAD;
  const signal = AbortSignal.any([context.signal, failed.signal]);
  for (const { piece, make } of makers) {
    piece.made = make({ signal, helps: isSmall ? 'no new thread' : helps });
    piece.made.catch((error) => failed.abort(error));
  }
  const all = Promise.allSettled(makers.map(({ piece }) => piece.made)).then(() => failed.signal.throwIfAborted());
  all.catch(() => {}); // a later step waits for it
  return all;
}
