/** Takes jobs from the queue and runs them on threads. Each job gets a folder with copies of its inputs. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, DifferentPieces } from '../../base/config-error.js';
import { scratchFolder } from '../../base/disk/lock.js';
import { BlockError } from '../../chain/block-error.js';
import { DamagedFileError } from '../../chain/raw-files.js';
import { allOf, type DatasetStore } from '../../publish/store/dataset-store.js';
import type { Executor } from '../jobs/run-jobs.js';
import type { Progress } from '../progress.js';
import { type Description, errorText, jobIn, jobVersion } from './job-files.js';
import type { JobData, NightQueue, QueuedJob, QueueWorker } from './night-queue.js';
import type { ObjectCache } from './object-cache.js';

/**
 * After a signal to stop, running jobs have this time to finish. Kubernetes and compose.yaml kill the process after 30
 * s.
 */
const DRAIN_MS = 20_000;
const GIVE_BACK_MS = 5000;
const VERSION_CHECK_MS = 5000;
const SAY_INTERVAL_MS = 60_000;

interface Running {
  readonly queued: QueuedJob;
  readonly token: string;
  /** Ends the processing of the job with an error. The job's thread keeps running until the process ends. */
  readonly leave: (error: Error) => void;
}

export interface WorkerParts {
  readonly queue: NightQueue;
  readonly store: DatasetStore;
  readonly cache: ObjectCache;
  readonly executor: Executor;
  readonly dataDir: string;
  readonly threads: number;
  readonly progress: Progress;
}

export class NightWorker {
  private readonly version = jobVersion();
  private readonly running = new Set<Running>();
  private readonly worker: QueueWorker;
  private readonly closed = new AbortController();
  private isOtherVersion = false;
  private saidAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: WorkerParts) {
    const { queue, threads, progress } = parts;
    this.worker = queue.startWorker(hostname(), threads, (job, token) => this.process(job, token));
    this.worker.on('error', (error) => {
      if (performance.now() - this.saidAt < SAY_INTERVAL_MS) return;
      this.saidAt = performance.now();
      progress.say(`fault of the queue at ${queue.place}: ${error.message}; trying again`);
    });
  }

  /**
   * Stops taking jobs, and waits until running jobs finish. Jobs that are still running after `drainMs` go back to the
   * queue.
   * @returns number of jobs that went back
   */
  async close(drainMs = DRAIN_MS): Promise<number> {
    this.closed.abort();
    const ended = this.worker.close();
    await Promise.race([ended, wait(drainMs, undefined, { ref: false })]);
    const left = [...this.running];
    await Promise.all(left.map((job) => this.giveBack(job)));
    await Promise.race([ended, wait(GIVE_BACK_MS, undefined, { ref: false })]); // limits the wait, because the queue may not respond
    return left.length;
  }

  /** Returns a running job to the queue. If the queue does not respond, the job's lock expires instead. */
  private async giveBack({ queued, token, leave }: Running): Promise<void> {
    const away = wait(GIVE_BACK_MS, new Error('the queue is away'), { ref: false });
    leave(await Promise.race([this.parts.queue.giveBack(queued, token), away]).catch((error) => error));
  }

  private async process(queued: QueuedJob, token: string): Promise<void> {
    const { queue, progress } = this.parts;
    const { program, name } = queued.data;
    if (program !== this.version) this.pause(program);
    // BullMQ may take a job for a request that it sent before the worker began to close.
    if (program !== this.version || this.closed.signal.aborted) throw await queue.giveBack(queued, token);
    const began = performance.now();
    progress.begin(name);
    let running: Running | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        running = { queued, token, leave: reject };
        this.running.add(running);
        this.make(queued.data).then(resolve, reject);
      });
      progress.end(name, performance.now() - began);
    } catch (error) {
      progress.fail(name);
      throw error;
    } finally {
      this.running.delete(running!);
    }
  }

  /** Runs the job, unless the store already has its result. */
  private async make({ description, key, name, again }: JobData): Promise<void> {
    const { store, cache, executor, dataDir, queue, progress } = this.parts;
    const folder = await scratchFolder(dataDir, 'job');
    try {
      const path = join(folder, 'job.json');
      await store.getObject(description, path);
      const { kind, job, inputs } = JSON.parse(readFileSync(path, 'utf8')) as Description;
      if (!again && (await store.readPiece(kind, key)) !== undefined) return;
      await allOf(inputs.map(({ sha256, path: place }) => cache.place(sha256, join(folder, place))));
      const own = jobIn(folder, job) as { readonly folder: string };
      mkdirSync(dirname(own.folder), { recursive: true });
      await executor.run(kind, own as never, { signal: new AbortController().signal });
      await store.putPiece(kind, key, own.folder, again);
    } catch (error) {
      progress.say(`${name} failed: ${(error as Error).message}`);
      const text = errorText(error, folder);
      throw isFinal(error) ? queue.finalError(text) : new Error(text);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Pauses this worker until the next waiting job has this worker's version. */
  private pause(program: string): void {
    if (this.isOtherVersion) return;
    this.isOtherVersion = true;
    const { queue, progress } = this.parts;
    progress.say('the jobs in the queue are of another version of hubledger: this worker takes none of them', {
      version: this.version,
      jobs_of: program,
    });
    void this.worker.pause(true);
    void this.resumeLater(queue);
  }

  private async resumeLater(queue: NightQueue): Promise<void> {
    const { signal } = this.closed;
    while (!signal.aborted) {
      await wait(VERSION_CHECK_MS, undefined, { signal, ref: false }).catch(() => {});
      const [next] = await queue.jobs('waiting', 1).catch(() => []);
      if (next?.data.program !== this.version) continue;
      this.isOtherVersion = false;
      return this.worker.resume();
    }
  }
}

/** Returns true if another attempt would fail with the same error. */
const isFinal = (error: unknown): boolean =>
  error instanceof BlockError ||
  error instanceof DamagedFileError ||
  error instanceof DifferentPieces ||
  error instanceof ConfigError;
