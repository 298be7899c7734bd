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
import type { DatasetStore } from '../../publish/store/dataset-store.js';
import { CHAINED, type JobKind, type JobOf } from '../jobs/job-kinds.js';
import type { Executor, RunOptions } from '../jobs/run-jobs.js';
import { placeSealed } from '../pieces.js';
import { describeJob, errorFromText, jobVersion, nameOf, textHash } from './job-files.js';
import type { JobData, NightQueue, QueuedJob } from './night-queue.js';
import type { ObjectCache } from './object-cache.js';

/** Maximum number of jobs whose inputs are hashed at the same time. */
const DESCRIBED_MAX = 4;
const POLL_MS = 250;
const ADD_AGAIN_MS = 30_000;
/** Maximum number of ended jobs in one read. */
const ENDED_MAX = 1000;
const WAITING_MAX = 100_000;
const SAY_INTERVAL_MS = 60_000;

interface Outstanding {
  readonly data: JobData;
  readonly settle: (failure: Error | undefined) => void;
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
  private readonly prepare = pLimit(DESCRIBED_MAX);
  private isWatching = false;
  private isCleared: Promise<void> | undefined;
  private saidAt = 0;

  constructor(
    private readonly queue: NightQueue,
    private readonly night: Night,
    private readonly addAgainMs = ADD_AGAIN_MS,
  ) {}

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
      description: await this.putText(text),
      key,
      program: this.version,
      name: nameOf(kind, job),
      isUrgent: CHAINED.has(kind),
    };
    // The store may have lost an object of an older result. In this case, the second round runs the job again.
    for (const again of [isFull, true]) {
      await this.waitFor(`${kind}-${key}`, { ...data, again }, signal);
      if (await this.bringResult(kind, key, job.folder)) return;
    }
    throw new ConfigError(`the result of ${data.name} is not in ${store.objects.url}: do all workers use this store?`);
  }

  /**
   * Copies a result from the store to `folder`. @returns false if the store does not have the whole result
   * @throws DifferentPieces if a run with `isFull` made other bytes than the folder already contains
   */
  private async bringResult(kind: JobKind, key: string, folder: string): Promise<boolean> {
    const { store, isFull } = this.night;
    if (!isFull) return store.getPiece(kind, key, folder);
    const aside = unfinished(folder);
    if (!(await store.getPiece(kind, key, aside))) return false;
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

  private async waitFor(id: string, data: JobData, signal: AbortSignal): Promise<void> {
    this.isCleared ??= this.removeOthers();
    await this.isCleared;
    await this.queue.remove(id);
    await this.queue.add(new Map([[id, data]]));
    let abort = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        signal.throwIfAborted();
        abort = () => reject(signal.reason);
        signal.addEventListener('abort', abort);
        const settle = (failure: Error | undefined) => (failure ? reject(failure) : resolve());
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
        for (const job of await this.queue.jobs('completed', ENDED_MAX)) await this.settle(job, undefined);
        for (const job of await this.queue.jobs('failed', ENDED_MAX)) await this.settle(job, job.failedReason ?? '');
        if (Date.now() - addedAt < this.addAgainMs) continue;
        addedAt = Date.now();
        await this.queue.add(new Map([...this.outstanding].map(([id, { data }]) => [id, data])));
        await this.sayState();
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
   * would pause.
   */
  private async removeOthers(): Promise<void> {
    for (const job of await this.queue.jobs('waiting', WAITING_MAX)) {
      if (job.data.program !== this.version) await this.queue.remove(job.id!);
    }
  }

  /** @param failure text of the job's error; undefined if the job succeeded */
  private async settle({ id }: QueuedJob, failure: string | undefined): Promise<void> {
    const found = this.outstanding.get(id!);
    if (!found) return;
    this.outstanding.delete(id!);
    await this.queue.remove(id!);
    found.settle(failure === undefined ? undefined : errorFromText(failure, found.data.name, this.night.dataDir));
  }

  private async sayState(): Promise<void> {
    const { workers, waiting, active } = await this.queue.state();
    if (workers > 0 || Date.now() - this.saidAt < SAY_INTERVAL_MS) return;
    this.saidAt = Date.now();
    this.night.say(`${waiting + active} jobs wait for a worker: start one by hubledger worker`);
  }
}
