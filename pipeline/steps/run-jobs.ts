/** Runs a step's jobs on threads. A job is plain data, and its result is what it leaves on disk. */
import { Worker } from 'node:worker_threads';
import { BlockError } from '../chain/block-error.js';

/** What a worker says of its job. An error crosses threads as its members, since its class would be lost. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly block: Pick<BlockError, 'height' | 'hash' | 'reason'> }
  | { readonly ok: false; readonly message: string };

export interface Jobs<Job> {
  readonly jobs: readonly Job[];
  /** Does one job in this thread. */
  readonly run: (job: Job) => Promise<void>;
  /** The module that does a job it is sent, and answers with a Verdict. */
  readonly worker: URL;
  readonly threads: number;
  readonly onDone: (job: Job) => void;
}

/** Runs all jobs; a single one in this thread. @throws the first job's error, once no other job is under way */
export async function runJobs<Job>({ jobs, run, worker, threads, onDone }: Jobs<Job>): Promise<void> {
  const queue = [...jobs];
  const count = Math.min(threads, queue.length);
  const lanes =
    count > 1 ? Array.from({ length: count }, () => threadLane<Job>(worker)) : [{ run, close: async () => {} }];
  try {
    await settleAll(
      lanes.map(async (lane) => {
        for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
          await lane.run(job).catch((error) => {
            queue.length = 0;
            throw error;
          });
          onDone(job);
        }
      }),
    );
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
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

function threadLane<Job>(module: URL): Lane<Job> {
  const thread = new Worker(module);
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
    close: () => {
      thread.removeAllListeners();
      return thread.terminate();
    },
  };
}

function errorOf(verdict: Exclude<Verdict, { ok: true }>): Error {
  if ('message' in verdict) return new Error(verdict.message);
  const { height, hash, reason } = verdict.block;
  return new BlockError(height, hash, reason);
}
