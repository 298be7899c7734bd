/** Runs a step's jobs on threads. A job is plain data, and its result is what it leaves on disk. */
import { parentPort, Worker } from 'node:worker_threads';
import { BlockError } from '../chain/block-error.js';
import { HoldingsError } from '../holdings/holdings-error.js';

/** A loader that runs the TypeScript sources as they are does not reach threads. */
export const HAS_THREADS = import.meta.filename.endsWith('.js');

/** What a worker says of its job. An error crosses threads as its members, since its class would be lost. */
type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly block: Pick<BlockError, 'height' | 'hash' | 'reason'> }
  | { readonly ok: false; readonly holdings: Pick<HoldingsError, 'height' | 'place' | 'difference' | 'reason'> }
  | { readonly ok: false; readonly message: string };

export interface Jobs<Job> {
  readonly jobs: readonly Job[];
  /** Does one job in this thread. */
  readonly run: (job: Job) => Promise<void>;
  /** The module that does a job it is sent: see answerJobs. */
  readonly worker: URL;
  /** Threads beside this one; 0: in this one. */
  readonly threads: number;
  readonly onDone?: (job: Job) => void;
  /** MiB of heap that a thread may grow to: where there is room, V8 rather grows than collects. */
  readonly heap?: number;
  /** Ends threads in the middle of their jobs. */
  readonly signal?: AbortSignal;
}

/** Runs all jobs. @throws the first job's error, once no other job is under way */
export async function runJobs<Job>({ jobs, run, worker, threads, heap, onDone, signal }: Jobs<Job>): Promise<void> {
  const queue = [...jobs];
  const count = HAS_THREADS ? Math.min(threads, queue.length) : 0;
  const lanes =
    count > 0
      ? Array.from({ length: count }, () => threadLane<Job>(worker, heap))
      : [{ run, end: async () => {}, close: async () => {} }];
  const end = () => lanes.forEach((lane) => void lane.end());
  signal?.addEventListener('abort', end);
  try {
    await settleAll(
      lanes.map(async (lane) => {
        for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
          await lane.run(job).catch((error) => {
            queue.length = 0;
            throw error;
          });
          onDone?.(job);
        }
      }),
    );
  } finally {
    signal?.removeEventListener('abort', end);
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

/** Waits for all of them, also when one fails. @throws the first failure */
export async function settleAll(promises: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

interface Lane<Job> {
  run(job: Job): Promise<void>;
  /** Whatever it is doing. */
  end(): Promise<unknown>;
  /** After its last job. */
  close(): Promise<unknown>;
}

function threadLane<Job>(module: URL, heap: number | undefined): Lane<Job> {
  const thread = new Worker(module, heap === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heap } });
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        thread.removeAllListeners();
        thread.once('error', reject);
        thread.once('exit', (code) => reject(new Error(`a worker thread ended with code ${code}`)));
        thread.once('message', (verdict: Verdict) => {
          if (verdict.ok) resolve();
          else reject(errorOf(verdict));
        });
        thread.postMessage(job);
      }),
    end: () => thread.terminate(),
    close: () => {
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
  return new Error(verdict.message);
}

/** In a worker thread: does every job that is sent, and says how it ended. */
export function answerJobs<Job>(run: (job: Job) => Promise<void>): void {
  const port = parentPort!;
  port.on('message', (job: Job) => {
    run(job).then(
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
  return { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
