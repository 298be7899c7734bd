/**
 * Connects to the queue of a night's jobs: BullMQ on Redis, Valkey or PostgreSQL. The package is optional, so it is
 * loaded only with HUBLEDGER_QUEUE_URL, and the types below name only the members in use.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { VariableError } from '../../base/config-error.js';
import { type Patience, retrying, StoreAway } from '../../publish/store/object-store.js';

/** A job in the queue. BullMQ on PostgreSQL reorders the members of `data`, so no text is made from it. */
export interface QueuedJob {
  readonly id?: string;
  readonly data: JobData;
  readonly failedReason?: string;
  getState(): Promise<string>;
  moveToWait(token: string): Promise<unknown>;
  remove(): Promise<unknown>;
}

export interface JobData {
  /** SHA-256 of the job's description in the object store. */
  readonly description: string;
  /** Key of the result in the store. */
  readonly key: string;
  /** Version of the program that can run the job. */
  readonly program: string;
  /** For people, such as 'months 2026-03'. */
  readonly name: string;
  /** If true, the job runs even if its result is in the store. */
  readonly again: boolean;
}

interface NewJob {
  readonly name: string;
  readonly data: JobData;
  readonly opts: object;
}

interface Queue {
  waitUntilReady(): Promise<unknown>;
  addBulk(jobs: readonly NewJob[]): Promise<unknown>;
  getJob(id: string): Promise<QueuedJob | undefined>;
  getJobs(states: readonly string[], from: number, to: number): Promise<(QueuedJob | undefined)[]>;
  getJobCounts(...states: string[]): Promise<Record<string, number>>;
  getWorkers(): Promise<unknown[]>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

export interface QueueWorker {
  waitUntilReady(): Promise<unknown>;
  pause(doNotWaitForJobs: boolean): Promise<void>;
  resume(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

type Processor = (job: QueuedJob, token: string) => Promise<void>;

interface BullMq {
  readonly Queue: new (name: string, options: object, backend?: unknown) => Queue;
  readonly Worker: new (name: string, process: Processor, options: object, backend?: unknown) => QueueWorker;
  readonly UnrecoverableError: new (message: string) => Error;
  readonly WaitingError: new () => Error;
  readonly createPostgresBackend: unknown;
}

const NAME = 'night';
/** Prefix of the keys in Redis, and schema of the tables in PostgreSQL. */
const NAMESPACE = 'hubledger_queue';

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
/** Metrics must not wait longer. */
const MONITOR_MS = 2000;

/** A dead worker's job is free again after at most LOCK_MS + CHECK_MS, 30 s. */
const LOCK_MS = 20_000;
const CHECK_MS = 10_000;

/** Attempts after a fault of the system, such as a full disk. */
const ATTEMPTS = 3;
const BACKOFF_MS = 1000;
/** A job fails after so many workers have ended while they ran it. */
const DEAD_WORKERS_MAX = 10;
/** Results that no coordinator has read are removed after this time, in seconds. */
const UNREAD_SECONDS = 86_400;

export interface QueueState {
  readonly workers: number;
  readonly waiting: number;
  readonly active: number;
}

/** @throws VariableError if the package is missing, or if the queue does not answer */
export async function openQueue(url: string, patience: Patience): Promise<NightQueue> {
  const queue = new NightQueue(await loadBullMq(url), url, patience);
  try {
    await queue.expectAnswer();
  } catch (error) {
    await queue.close();
    throw error;
  }
  return queue;
}

const isPostgres = (url: string) => url.startsWith('postgres');

async function loadBullMq(url: string): Promise<BullMq> {
  for (const name of ['bullmq', isPostgres(url) ? 'pg' : 'ioredis']) {
    await import(name).catch(() => {
      throw new VariableError(`HUBLEDGER_QUEUE_URL needs the package ${name}: install it by npm ci`);
    });
  }
  const name: string = 'bullmq';
  return import(name);
}

export class NightQueue {
  private readonly queue: Queue;
  /** The cause of an operation's error, which ioredis does not name. */
  private connectionError: Error | undefined;

  constructor(
    private readonly bullMq: BullMq,
    private readonly url: string,
    private readonly patience: Patience,
  ) {
    const { Queue } = bullMq;
    this.queue = new Queue(NAME, { ...this.options({ retries: 1 }), skipWaitingForReady: true }, this.backend);
    this.queue.on('error', (error) => {
      if ('code' in error) this.connectionError = error;
    });
  }

  /** Host and port, without the password. */
  get place(): string {
    return new URL(this.url).host;
  }

  async expectAnswer(): Promise<void> {
    const late = new AbortController();
    try {
      await Promise.race([
        this.queue.waitUntilReady().then(() => this.queue.getJobCounts('waiting')),
        wait(CONNECT_MS, undefined, late).then(() => {
          throw new Error(`no answer after ${CONNECT_MS / 1000} s`);
        }),
      ]);
    } catch (error) {
      throw new VariableError(`HUBLEDGER_QUEUE_URL: ${this.away(error as Error).message}`);
    } finally {
      late.abort();
    }
  }

  /** Adds jobs. A job whose id is in the queue is not added again. */
  async add(jobs: ReadonlyMap<string, JobData>): Promise<void> {
    const retries = { attempts: ATTEMPTS, backoff: { type: 'exponential', delay: BACKOFF_MS } };
    const unread = { age: UNREAD_SECONDS };
    const opts = { ...retries, removeOnComplete: unread, removeOnFail: unread };
    const added = [...jobs].map(([id, data]) => ({ name: data.name, data, opts: { ...opts, jobId: id } }));
    await this.again(() => this.queue.addBulk(added));
  }

  /** Removes a job, unless a worker runs it. */
  async remove(id: string): Promise<void> {
    await this.again(async () => {
      const job = await this.queue.getJob(id);
      if (job && (await job.getState()) !== 'active') await job.remove();
    });
  }

  jobs(state: 'waiting' | 'completed' | 'failed', count: number): Promise<QueuedJob[]> {
    return this.again(async () => {
      const jobs = await this.queue.getJobs([state], 0, count - 1);
      return jobs.filter((job) => job !== undefined); // a job may end while the list is read
    });
  }

  state(): Promise<QueueState> {
    return this.again(async () => {
      const { waiting = 0, active = 0, delayed = 0 } = await this.queue.getJobCounts('waiting', 'active', 'delayed');
      return { workers: (await this.queue.getWorkers()).length, waiting: waiting + delayed, active };
    });
  }

  /** Repeats an operation while the queue does not answer. */
  private again<Result>(act: () => Promise<Result>): Promise<Result> {
    const attempt = () =>
      act().catch((error) => {
        throw this.away(error);
      });
    return retrying(attempt, this.patience);
  }

  startWorker(name: string, concurrency: number, process: Processor): QueueWorker {
    const { Worker } = this.bullMq;
    return new Worker(
      NAME,
      process,
      {
        ...this.options({ retries: null }),
        name,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: CHECK_MS,
        maxStalledCount: DEAD_WORKERS_MAX,
        runRetryDelay: 1000,
      },
      this.backend,
    );
  }

  /** An error by which a job fails without another attempt. */
  finalError(message: string): Error {
    return new this.bullMq.UnrecoverableError(message);
  }

  /** Moves a running job back to the queue. Its processor must throw the returned error. */
  async giveBack(job: QueuedJob, token: string): Promise<Error> {
    await job.moveToWait(token);
    return new this.bullMq.WaitingError();
  }

  async close(): Promise<void> {
    await this.queue.close().catch(() => {}); // the connection may be lost
  }

  private get backend(): unknown {
    return isPostgres(this.url) ? this.bullMq.createPostgresBackend : undefined;
  }

  private options({ retries }: { readonly retries: number | null }): object {
    if (isPostgres(this.url)) {
      const timeouts = { connectionTimeoutMillis: CONNECT_MS, query_timeout: ANSWER_MS };
      return { connection: { connectionString: this.url, schema: NAMESPACE, migrate: true, ...timeouts } };
    }
    const timeouts = { connectTimeout: CONNECT_MS, commandTimeout: ANSWER_MS };
    return { connection: { url: this.url, maxRetriesPerRequest: retries, ...timeouts }, prefix: NAMESPACE };
  }

  private away(error: Error): StoreAway {
    const cause = this.connectionError ?? error;
    this.connectionError = undefined;
    // node-postgres reports refused connections of several addresses in one error without a message.
    const { message } = cause instanceof AggregateError ? cause.errors[0] : cause;
    return new StoreAway(`the queue at ${this.place} does not answer (${message})`);
  }
}

/** Reads the state of the queue for metrics. Connects at the first read, and again after a fault. */
export class QueueMonitor {
  private queue: Promise<NightQueue> | undefined;

  constructor(private readonly url: string | undefined) {}

  /** @returns undefined without a queue; null while it does not answer */
  async state(): Promise<QueueState | null | undefined> {
    if (this.url === undefined) return undefined;
    this.queue ??= openQueue(this.url, { forMs: 0, say() {} });
    const state = this.queue.then((queue) => queue.state());
    const late = new AbortController();
    try {
      return await Promise.race([state, wait(MONITOR_MS, null, late)]);
    } catch {
      await this.close();
      return null;
    } finally {
      late.abort();
    }
  }

  async close(): Promise<void> {
    const { queue } = this;
    this.queue = undefined;
    await queue?.then((open) => open.close()).catch(() => {});
  }
}
