/** Runs jobs on worker threads. A job is plain data, and writes its results to disk. */
import { availableParallelism, totalmem } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { ConfigError, isSystemFault, SpanError } from '../../base/config-error.js';
import { BlockError } from '../../chain/block-error.js';
import { DifferentPieces } from '../pieces.js';

/** False when run from TypeScript sources, which worker threads cannot load. */
const HAS_THREADS = import.meta.filename.endsWith('.js');

/** Memory that a thread and its database may need, in bytes. */
const THREAD_BYTES = 768 * 2 ** 20;
/** Memory for the fold and the main thread, in bytes. */
const OTHER_BYTES = 2 * 2 ** 30;

/** A container may have less memory than its machine. */
const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Threads for jobs by default. Leaves one core for the thread that reads the chain, and memory for the fold. */
export const USUAL_WORKERS = Math.max(
  1,
  Math.min(availableParallelism() - 1, Math.floor((memory - OTHER_BYTES) / THREAD_BYTES)),
);

type Message<Progress> =
  | { readonly progress: Progress }
  | { readonly isDone: true }
  | { readonly isDone: false; readonly error: JobError };

type Request<Job> = { readonly job: Job } | 'abort';

export interface JobContext<Progress> {
  readonly report: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

interface Jobs<Job, Progress = never> {
  readonly jobs: readonly Job[];
  readonly run: (job: Job, context: JobContext<Progress>) => Promise<void>;
  readonly worker: URL;
  /** If 0, all jobs run in this thread. */
  readonly threads: number;
  /** A promise. After it resolves, this thread also runs queued jobs. */
  readonly helpAfter?: Promise<void>;
  readonly signal: AbortSignal;
  readonly onDone?: (job: Job) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Heap limit per thread in MiB. Without a limit, V8 grows the heap instead of collecting garbage. */
  readonly heap?: number;
}

/** Waits until all running jobs have ended, then throws the first error. */
export async function runJobs<Job, Progress>(jobs: Jobs<Job, Progress>): Promise<void> {
  const queue = [...jobs.jobs];
  const finished = runLanes(jobs, queue);
  const help = jobs.helpAfter?.then(() => workInLane(thisThread(jobs), queue, jobs));
  await settleAll(help ? [finished, help] : [finished]);
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

/** Runs queued jobs one after another. After an error, empties the queue, so that no further job starts. */
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

async function settleAll(promises: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

interface Lane<Job> {
  run(job: Job): Promise<void>;
  close(): Promise<unknown>;
}

function thisThread<Job, Progress>({ run, onProgress, signal }: Jobs<Job, Progress>): Lane<Job> {
  const report = (progress: Progress) => onProgress?.(progress);
  return { run: (job) => run(job, { report, signal }), close: async () => {} };
}

/** The thread may be terminated only between jobs, because terminating it during a DuckDB query crashes the process. */
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

type JobError =
  | { readonly block: Pick<BlockError, 'height' | 'hash' | 'reason'> }
  | { readonly config: string }
  | { readonly span: string }
  | { readonly different: string }
  | { readonly message: string };

export function serializeError(error: unknown): JobError {
  if (error instanceof BlockError) {
    const { height, hash, reason } = error;
    return { block: { height, hash, reason } };
  }
  if (error instanceof SpanError) return { span: error.message };
  if (error instanceof DifferentPieces) return { different: error.message };
  if (error instanceof ConfigError || isSystemFault(error)) return { config: error.message };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Restores the error's class, which is lost between threads. */
export function deserializeError(error: JobError): Error {
  if ('block' in error) {
    const { height, hash, reason } = error.block;
    return new BlockError(height, hash, reason);
  }
  if ('span' in error) return new SpanError(error.span);
  if ('different' in error) return new DifferentPieces(error.different);
  return 'config' in error ? new ConfigError(error.config) : new Error(error.message);
}
