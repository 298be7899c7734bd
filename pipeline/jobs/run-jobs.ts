/** Runs a step's jobs on threads. A job is plain data, and its result is what it leaves on disk. */
import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { deserializeError, type JobError, serializeError } from './job-error.js';

/** A loader that runs the TypeScript sources as they are does not reach threads. */
const HAS_THREADS = import.meta.filename.endsWith('.js');

/** Threads that classify where nobody says otherwise: one core is for the thread that reads the chain. */
export const USUAL_WORKERS = Math.max(1, Math.min(2, availableParallelism() - 1));

/** A message from a worker about its job: how far it is, or how it ended. */
type Message<Progress> =
  | { readonly progress: Progress }
  | { readonly isDone: true }
  | { readonly isDone: false; readonly error: JobError };

/** A message to a worker. */
type Request<Job> = { readonly job: Job } | 'abort';

/** The means that a job is given beside its own data. */
export interface JobContext<Progress> {
  /** Tells whoever waits for the job what is known already. */
  readonly report: (progress: Progress) => void;
  /** Aborted when nobody needs the job's result any more. */
  readonly signal: AbortSignal;
}

export interface Jobs<Job, Progress = never> {
  readonly jobs: readonly Job[];
  /** Does one job in this thread. */
  readonly run: (job: Job, context: JobContext<Progress>) => Promise<void>;
  /** The module that does a job it is sent: see answerJobs. */
  readonly worker: URL;
  /** Number of threads beside this one; with 0 the jobs are done in this one. */
  readonly threads: number;
  /** Ends the jobs when aborted: no other begins, and those under way are told. */
  readonly signal: AbortSignal;
  readonly onDone?: (job: Job) => void;
  /** Hears what jobs report while they run. */
  readonly onProgress?: (progress: Progress) => void;
  /** MiB of heap that a thread may grow to: where there is room, V8 rather grows than collects. */
  readonly heap?: number;
}

/** Jobs that run on threads while their caller goes on. */
export interface Underway {
  /** Resolves when all are done; rejects with the first error, once no other job is under way. */
  readonly finished: Promise<void>;
  /** Lets this thread do jobs that no other has begun. @returns when all are done */
  help(): Promise<void>;
}

/** Runs all jobs. @throws the first job's error, once no other job is under way */
export function runJobs<Job, Progress>(jobs: Jobs<Job, Progress>): Promise<void> {
  return beginJobs(jobs).finished;
}

/** Begins all jobs. */
export function beginJobs<Job, Progress>(jobs: Jobs<Job, Progress>): Underway {
  const queue = [...jobs.jobs];
  const finished = runLanes(jobs, queue);
  finished.catch(() => {});
  return { finished, help: () => settleAll([finished, workInLane(thisThread(jobs), queue, jobs)]) };
}

async function runLanes<Job, Progress>(jobs: Jobs<Job, Progress>, queue: Job[]): Promise<void> {
  const count = HAS_THREADS ? Math.min(jobs.threads, queue.length) : 0;
  const lanes = count > 0 ? Array.from({ length: count }, () => threadLane(jobs)) : [thisThread(jobs)];
  try {
    await settleAll(lanes.map((lane) => workInLane(lane, queue, jobs)));
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

/** Takes jobs from a queue that lanes share until there is none; after an error nobody takes another. */
async function workInLane<Job>(
  lane: Lane<Job>,
  queue: Job[],
  { signal, onDone }: Pick<Jobs<Job>, 'signal' | 'onDone'>,
): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    signal.throwIfAborted();
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

/** A thread that does one job after another. */
interface Lane<Job> {
  run(job: Job): Promise<void>;
  /** Called after its last job. */
  close(): Promise<unknown>;
}

function thisThread<Job, Progress>({ run, onProgress, signal }: Jobs<Job, Progress>): Lane<Job> {
  const report = (progress: Progress) => onProgress?.(progress);
  return { run: (job) => run(job, { report, signal }), close: async () => {} };
}

/** The thread is ended only between jobs: DuckDB takes the whole process along when a thread ends in the middle of a query. */
function threadLane<Job, Progress>({ worker, heap, onProgress, signal }: Jobs<Job, Progress>): Lane<Job> {
  const thread = new Worker(worker, heap === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heap } });
  const send = (request: Request<Job>) => thread.postMessage(request);
  const abort = () => send('abort');
  signal.addEventListener('abort', abort);
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        thread.removeAllListeners();
        thread.once('error', reject);
        thread.once('exit', (code) => reject(new Error(`a worker thread ended with code ${code}`)));
        thread.on('message', (message: Message<Progress>) => {
          if ('progress' in message) onProgress?.(message.progress);
          else if (message.isDone) resolve();
          else reject(deserializeError(message.error));
        });
        send({ job });
      }),
    close: () => {
      signal.removeEventListener('abort', abort);
      thread.removeAllListeners();
      return thread.terminate();
    },
  };
}

/** Serves a worker thread: does every job that is sent, and sends what the job reports and how it ended. */
export function answerJobs<Job, Progress>(run: Jobs<Job, Progress>['run']): void {
  const port = parentPort!;
  const send = (message: Message<Progress>) => port.postMessage(message);
  const controller = new AbortController();
  const context = { report: (progress: Progress) => send({ progress }), signal: controller.signal };
  port.on('message', (request: Request<Job>) => {
    if (request === 'abort') return controller.abort();
    run(request.job, context).then(
      () => send({ isDone: true }),
      (error) => send({ isDone: false, error: serializeError(error) }),
    );
  });
}
