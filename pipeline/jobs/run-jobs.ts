/** Runs a step's jobs on threads. A job is plain data, and its result is what it leaves on disk. */
import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { BlockError } from '../chain/block-error.js';
import { ConfigError } from '../config-error.js';
import { HoldingsError } from '../holdings/holdings-error.js';

/** A loader that runs the TypeScript sources as they are does not reach threads. */
export const HAS_THREADS = import.meta.filename.endsWith('.js');

/**
 * MiB of heap for a thread that holds a state of the whole chain: a million delegations fold in half of it, and the whole night
 * is to stay under one and a half GiB.
 */
export const STATE_HEAP = 1024;

/** Threads that classify where nobody says otherwise: one core is for the thread that reads the chain. */
export const USUAL_WORKERS = Math.max(1, Math.min(2, availableParallelism() - 1));

/** What a worker says of its job. An error crosses threads as its members, since its class would be lost. */
type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly block: Pick<BlockError, 'height' | 'hash' | 'reason'> }
  | { readonly ok: false; readonly holdings: Pick<HoldingsError, 'height' | 'place' | 'difference' | 'reason'> }
  | { readonly ok: false; readonly config: string }
  | { readonly ok: false; readonly message: string };

/** What a worker says. */
type Message<News> = Verdict | { readonly news: News };

/** What a job is given beside itself. */
export interface Circumstances<News> {
  /** Tells those who wait what is known already. */
  readonly tell: (news: News) => void;
  /** Aborted when nobody needs the job's result any more. */
  readonly signal: AbortSignal;
}

export interface Jobs<Job, News = never> {
  readonly jobs: readonly Job[];
  /** Does one job in this thread. */
  readonly run: (job: Job, circumstances: Circumstances<News>) => Promise<void>;
  /** The module that does a job it is sent: see answerJobs. */
  readonly worker: URL;
  /** Threads beside this one; 0: in this one. */
  readonly threads: number;
  readonly onDone?: (job: Job) => void;
  /** Hears what jobs tell while they run. */
  readonly onNews?: (news: News) => void;
  /** MiB of heap that a thread may grow to: where there is room, V8 rather grows than collects. */
  readonly heap?: number;
}

/** Jobs that run on threads while their caller goes on. */
export interface Underway {
  readonly finished: Promise<void>;
  /** Lets this thread do what no other has begun. @returns when all of it is finished */
  help(): Promise<void>;
  /** Ends it early. */
  abandon(): void;
}

/** Runs all jobs. @throws the first job's error, once no other job is under way */
export function runJobs<Job, News>(jobs: Jobs<Job, News>): Promise<void> {
  return beginJobs(jobs).finished;
}

/** Runs all jobs while the night goes on: whoever waits for them is told of the first error. */
export function beginJobs<Job, News>(jobs: Jobs<Job, News>): Underway {
  const controller = new AbortController();
  const queue = [...jobs.jobs];
  const finished = workOff(jobs, queue, controller.signal);
  finished.catch(() => {});
  return {
    finished,
    help: () => settleAll([finished, workInLane(thisThread(jobs, controller.signal), queue, jobs.onDone)]),
    abandon: () => {
      queue.length = 0;
      controller.abort();
    },
  };
}

async function workOff<Job, News>(jobs: Jobs<Job, News>, queue: Job[], signal: AbortSignal): Promise<void> {
  const { threads, onDone } = jobs;
  const count = HAS_THREADS ? Math.min(threads, queue.length) : 0;
  const lanes = count > 0 ? Array.from({ length: count }, () => threadLane(jobs, signal)) : [thisThread(jobs, signal)];
  try {
    await settleAll(lanes.map((lane) => workInLane(lane, queue, onDone)));
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

/** Takes jobs from a queue that lanes share until there is none; after an error nobody takes another. */
async function workInLane<Job>(lane: Lane<Job>, queue: Job[], onDone: Jobs<Job, never>['onDone']): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    await lane.run(job).catch((error) => {
      queue.length = 0;
      throw error;
    });
    onDone?.(job);
  }
}

/** Waits for all of them, also when one fails. @throws the first failure */
export async function settleAll(promises: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

interface Lane<Job> {
  run(job: Job): Promise<void>;
  /** After its last job. */
  close(): Promise<unknown>;
}

function thisThread<Job, News>({ run, onNews }: Jobs<Job, News>, signal: AbortSignal): Lane<Job> {
  const tell = (news: News) => onNews?.(news);
  return { run: (job) => run(job, { tell, signal }), close: async () => {} };
}

/** The thread is ended only between jobs: DuckDB takes the whole process along when a thread ends in the middle of a query. */
function threadLane<Job, News>({ worker, heap, onNews }: Jobs<Job, News>, signal: AbortSignal): Lane<Job> {
  const thread = new Worker(worker, heap === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heap } });
  const abandon = () => thread.postMessage('abandon');
  signal.addEventListener('abort', abandon);
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        thread.removeAllListeners();
        thread.once('error', reject);
        thread.once('exit', (code) => reject(new Error(`a worker thread ended with code ${code}`)));
        thread.on('message', (message: Message<News>) => {
          if ('news' in message) onNews?.(message.news);
          else if (message.ok) resolve();
          else reject(errorOf(message));
        });
        thread.postMessage({ job });
      }),
    close: () => {
      signal.removeEventListener('abort', abandon);
      thread.removeAllListeners();
      return thread.terminate();
    },
  };
}

function errorOf(verdict: Exclude<Verdict, { ok: true }>): Error {
  if ('block' in verdict) {
    const { height, hash, reason } = verdict.block;
    return new BlockError(height, hash, reason);
  }
  if ('holdings' in verdict) {
    const { height, place, difference, reason } = verdict.holdings;
    return new HoldingsError(height, place, difference, reason);
  }
  return 'config' in verdict ? new ConfigError(verdict.config) : new Error(verdict.message);
}

/** In a worker thread: does every job that is sent, tells what the job tells, and says how it ended. */
export function answerJobs<Job, News>(run: Jobs<Job, News>['run']): void {
  const port = parentPort!;
  const controller = new AbortController();
  const tell = (news: News) => port.postMessage({ news } satisfies Message<News>);
  port.on('message', (message: 'abandon' | { job: Job }) => {
    if (message === 'abandon') return controller.abort();
    run(message.job, { tell, signal: controller.signal }).then(
      () => port.postMessage({ ok: true } satisfies Verdict),
      (error) => port.postMessage(verdictOf(error)),
    );
  });
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof BlockError) {
    const { height, hash, reason } = error;
    return { ok: false, block: { height, hash, reason } };
  }
  if (error instanceof HoldingsError) {
    const { height, place, difference, reason } = error;
    return { ok: false, holdings: { height, place, difference, reason } };
  }
  if (error instanceof ConfigError) return { ok: false, config: error.message };
  return { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
