/**
 * Runs jobs on other machines. Inputs and results are transferred through the object store, so the queue contains only
 * hashes. If the queue loses jobs, this class adds them again under the same ids. Results of finished jobs are found in
 * the store.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ConfigError } from '../../base/config-error.js';
import { unfinished } from '../../base/disk/atomic-files.js';
import type { DatasetStore, ListSigner } from '../../publish/store/dataset-store.js';
import { CHAINED, type JobKind, type JobOf } from '../jobs/job-kinds.js';
import type { Executor, RunOptions } from '../jobs/run-jobs.js';
import { placeSealed } from '../pieces.js';
import { describeJob, errorFromText, jobVersion, nameOf, programOf, textHash } from './job-files.js';
import { idOf, type JobData, type NightQueue, type QueuedJob } from './night-queue.js';
import type { ObjectCache } from './object-cache.js';

/** Maximum number of jobs whose inputs are hashed at the same time. */
const DESCRIBED_MAX = 4;
const POLL_MS = 250;
const ADD_AGAIN_MS = 30_000;
/** Maximum number of ended jobs in one read. */
const ENDED_MAX = 1000;
const WAITING_MAX = 100_000;
const SAY_INTERVAL_MS = 60_000;
/** A job fails if the queue has reported this many times that it ended, but its signed result was missing. */
const ROUNDS_MAX = 10;

/** How a job ended. 'unproved': without a signature of a worker. */
type End = 'done' | 'unproved' | Error;

interface Outstanding {
  readonly data: JobData;
  readonly settle: (end: End) => void;
}

interface Night {
  readonly dataDir: string;
  readonly store: DatasetStore;
  /** Defined if a worker of this process uses the same data folder. */
  readonly cache?: ObjectCache | undefined;
  /** If true, jobs run even if the store already has their results. */
  readonly isFull: boolean;
  readonly say: (text: string) => void;
}

export class RemoteExecutor implements Executor {
  private readonly outstanding = new Map<string, Outstanding>();
  private readonly version = jobVersion();
  private readonly signer: ListSigner;
  private readonly prepare = pLimit(DESCRIBED_MAX);
  private isWatching = false;
  private isCleared: Promise<void> | undefined;
  private loggedAt = 0;

  constructor(
    private readonly queue: NightQueue,
    private readonly night: Night,
    private readonly addAgainMs = ADD_AGAIN_MS,
  ) {
    this.signer = queue.key.listSigner;
  }

  async run<Kind extends JobKind>(kind: Kind, job: JobOf<Kind>, { signal }: RunOptions): Promise<void> {
    signal.throwIfAborted();
    const { dataDir, store, cache, isFull } = this.night;
    const { description, files } = await this.prepare(() => describeJob(kind, job, dataDir));
    const text = JSON.stringify(description);
    const key = textHash(`${this.version}\n${text}`).slice(0, 20);
    if (!isFull && (await this.bringResult(kind, key, job.folder))) return;
    for (const [sha256, path] of files) cache?.add(sha256, path);
    await Promise.all([...files].map(([sha256, path]) => store.putObject(path, sha256)));
    const data = {
      kind,
      description: await this.putText(text),
      key,
      program: this.version,
      name: nameOf(kind, job),
      isUrgent: CHAINED.has(kind),
    };
    // The store may have lost an object of an older result, or somebody may have changed the job in the queue.
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const end = await this.waitFor({ ...data, again: isFull || round > 1 }, signal);
      if (end === 'done' && (await this.bringResult(kind, key, job.folder))) return;
      this.night.say(`${data.name} ended without a result that a worker with this HUBLEDGER_QUEUE_KEY has signed`);
    }
    throw new ConfigError(
      `the signed result of ${data.name} is not in ${store.objects.url}: do all workers use this store and this HUBLEDGER_QUEUE_KEY?`,
    );
  }

  /**
   * Copies a result from the store to `folder`. @returns false if the store does not have the whole, signed result
   * @throws DifferentPieces if a run with `isFull` made other bytes than the folder already contains
   */
  private async bringResult(kind: JobKind, key: string, folder: string): Promise<boolean> {
    const { store, isFull } = this.night;
    if (!isFull) return store.getPiece(kind, key, folder, this.signer);
    const aside = unfinished(folder);
    if (!(await store.getPiece(kind, key, aside, this.signer))) return false;
    placeSealed(aside, folder);
    return true;
  }

  private async putText(text: string): Promise<string> {
    const path = unfinished(join(this.night.dataDir, 'job.json'));
    try {
      writeFileSync(path, text);
      return await this.night.store.putObject(path);
    } finally {
      rmSync(path, { force: true });
    }
  }

  private async waitFor(data: JobData, signal: AbortSignal): Promise<Exclude<End, Error>> {
    const id = idOf(data);
    this.isCleared ??= this.removeOthers();
    await this.isCleared;
    await this.queue.remove(id);
    await this.queue.add([data]);
    let abort = () => {};
    try {
      return await new Promise((resolve, reject) => {
        signal.throwIfAborted();
        abort = () => reject(signal.reason);
        signal.addEventListener('abort', abort);
        const settle = (end: End) => (end instanceof Error ? reject(end) : resolve(end));
        // The job is outstanding only now: if watch() had added it before remove(), it could run twice.
        this.outstanding.set(id, { data, settle });
        void this.watch();
      });
    } finally {
      signal.removeEventListener('abort', abort);
      this.outstanding.delete(id);
      if (signal.aborted) await this.queue.remove(id);
    }
  }

  /** Polls the queue until no job is outstanding. If the queue does not respond, all outstanding jobs fail. */
  private async watch(): Promise<void> {
    if (this.isWatching) return;
    this.isWatching = true;
    try {
      for (let addedAt = Date.now(); this.outstanding.size > 0; await wait(POLL_MS)) {
        for (const job of await this.queue.jobs('completed', ENDED_MAX)) await this.settle(job, () => 'done');
        for (const job of await this.queue.jobs('failed', ENDED_MAX)) await this.settle(job, this.failureOf);
        if (Date.now() - addedAt < this.addAgainMs) continue;
        addedAt = Date.now();
        await this.queue.add([...this.outstanding.values()].map(({ data }) => data));
        await this.logState();
      }
    } catch (error) {
      for (const { settle } of this.outstanding.values()) settle(error as Error);
    } finally {
      this.isWatching = false;
      this.isCleared = undefined;
    }
  }

  /**
   * Removes waiting jobs of another version of the program. A worker that meets such a job at the head of the queue
   * would pause. Also removes jobs that every worker would refuse.
   */
  private async removeOthers(): Promise<void> {
    for (const job of await this.queue.jobs('waiting', WAITING_MAX)) {
      if (programOf(this.queue, job) !== this.version) await this.queue.remove(job.id!);
    }
  }

  private async settle(job: QueuedJob, endOf: (job: QueuedJob, data: JobData) => End): Promise<void> {
    const found = this.outstanding.get(job.id!);
    if (!found) return;
    this.outstanding.delete(job.id!);
    await this.queue.remove(job.id!);
    found.settle(endOf(job, found.data));
  }

  private failureOf = (job: QueuedJob, { name }: JobData): End => {
    const text = this.queue.failureText(job);
    return text === undefined ? 'unproved' : errorFromText(text, name, this.night.dataDir);
  };

  private async logState(): Promise<void> {
    const { workers, waiting, active } = await this.queue.state();
    if (workers > 0 || Date.now() - this.loggedAt < SAY_INTERVAL_MS) return;
    this.loggedAt = Date.now();
    this.night.say(`${waiting + active} jobs wait for a worker: start one by ./hubledger worker`);
  }
}
