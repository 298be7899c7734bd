/** Takes jobs from the queue and runs them on threads. Each job gets a folder with copies of its inputs. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, DifferentPieces, isSystemFault } from '../../base/config-error.js';
import { scratchFolder } from '../../base/disk/lock.js';
import { joinSafely } from '../../base/disk/safe-path.js';
import { harmless, quoted } from '../../base/json/quoted.js';
import { BlockError } from '../../chain/block-error.js';
import { DamagedFileError } from '../../chain/raw-files.js';
import { allOf } from '../../publish/store/content-store.js';
import type { DatasetStore } from '../../publish/store/dataset-store.js';
import type { Executor } from '../jobs/run-jobs.js';
import type { Progress } from '../progress.js';
import { errorText, jobIn, jobVersion, programOf, RefusedJob, readDescription, readJob } from './job-files.js';
import { idOf, type JobData, type NightQueue, type QueuedJob, type QueueWorker } from './night-queue.js';
import type { ObjectCache } from './object-cache.js';

/**
 * After a signal to stop, running jobs have this time to finish. Kubernetes and compose.yaml kill the process after 30
 * s.
 */
const DRAIN_MS = 20_000;
const GIVE_BACK_MS = 5000;
const VERSION_CHECK_MS = 5000;
const SAY_INTERVAL_MS = 60_000;
/**
 * After a fault of the system, such as a full disk, a worker takes no jobs for this time, so that other workers get
 * them. The same applies after a refused job, because this worker may have a wrong key. Each further fault doubles the
 * time.
 */
const REST_MS = 10_000;
const REST_MAX_MS = 60_000;

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
  private isResting = false;
  /** Number of faults of the system and refused jobs since the last finished job. */
  private faults = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: WorkerParts,
    private readonly restMs = REST_MS,
  ) {
    const { queue, threads, progress } = parts;
    this.worker = queue.startWorker(hostname(), threads, (job, token) => this.process(job, token));
    this.worker.on('error', (error) => {
      if (performance.now() - this.loggedAt < SAY_INTERVAL_MS) return;
      this.loggedAt = performance.now();
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
    const data = this.read(queued);
    const { program, name } = data;
    if (program !== this.version) this.pause(program);
    // BullMQ may take a job for a request that it sent before the worker began to close or to rest.
    const isLate = this.closed.signal.aborted || this.isResting;
    if (program !== this.version || isLate) throw await queue.giveBack(queued, token);
    const began = performance.now();
    progress.begin(name);
    let running: Running | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        running = { queued, token, leave: reject };
        this.running.add(running);
        this.make(data).then(resolve, reject);
      });
      this.faults = 0;
      progress.end(name, performance.now() - began);
    } catch (error) {
      progress.fail(name);
      throw error;
    } finally {
      this.running.delete(running!);
    }
  }

  /** Reads the job's data. Refuses a job that the coordinator of this store has not signed. */
  private read(queued: QueuedJob): JobData {
    const { queue, progress } = this.parts;
    try {
      return readJob(queue, queued);
    } catch (error) {
      if (!(error instanceof RefusedJob)) throw error;
      const id = String(queued.id);
      progress.say(`refused the job ${harmless(quoted(id))} of the queue: ${error.message}`);
      void this.rest(() => {});
      throw queue.failure(id, errorText(error), 'no other attempt');
    }
  }

  /** Runs the job, unless the store already has its result. */
  private async make(data: JobData): Promise<void> {
    const { kind, description, key, name, again } = data;
    const { store, cache, executor, dataDir, queue, progress } = this.parts;
    const signer = queue.key.listSigner;
    const folder = await scratchFolder(dataDir, 'job');
    const fail = (error: unknown, attempts: 'no other attempt' | 'other attempts', root?: string) =>
      queue.failure(idOf(data), errorText(error, root), attempts);
    try {
      const path = join(folder, 'job.json');
      await store.getObject(description, path);
      const { job, inputs } = readDescription(readFileSync(path, 'utf8'), kind);
      if (!again && (await store.hasPiece(kind, key, signer))) return;
      await allOf(inputs.map(async ({ sha256, path: place }) => cache.place(sha256, joinSafely(folder, place))));
      const placedJob = jobIn(folder, job) as { readonly folder: string };
      mkdirSync(dirname(placedJob.folder), { recursive: true });
      await executor.run(kind, placedJob as never, { signal: new AbortController().signal });
      await store.putPiece(kind, key, placedJob.folder, { overwrites: again, signer });
    } catch (error) {
      progress.say(`${name} failed: ${(error as Error).message}`);
      if (isFinal(error)) throw fail(error, 'no other attempt', folder);
      if (!isSystemFault(error)) throw fail(error, 'other attempts', folder);
      void this.rest(progress.say);
      // The paths stay those of this worker, because the fault is on its machine.
      const fault = new ConfigError(`${name} failed on the worker ${hostname()}: ${error.message}`);
      throw fail(fault, 'other attempts');
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
      // A job that this worker refuses ends the pause too: the worker must take it to refuse it.
      if (next === undefined || (programOf(queue, next) ?? this.version) !== this.version) continue;
      this.isOtherVersion = false;
      return this.resume();
    }
  }

  /**
   * Pauses this worker after a fault of its system or a refused job.
   * @param say receives a line with the duration
   */
  private async rest(say: (text: string) => void): Promise<void> {
    if (this.isResting) return;
    this.isResting = true;
    const { signal } = this.closed;
    const ms = Math.min(this.restMs * 2 ** this.faults++, REST_MAX_MS);
    say(`this worker takes no jobs for ${ms / 1000} s`);
    void this.worker.pause(true);
    await wait(ms, undefined, { signal, ref: false }).catch(() => {});
    this.isResting = false;
    this.resume();
  }

  private resume(): void {
    if (!this.isResting && !this.isOtherVersion && !this.closed.signal.aborted) this.worker.resume();
  }
}

/** Returns true if another attempt would fail with the same error. */
const isFinal = (error: unknown): boolean =>
  error instanceof BlockError ||
  error instanceof DamagedFileError ||
  error instanceof DifferentPieces ||
  error instanceof ConfigError;
