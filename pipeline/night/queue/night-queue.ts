/**
 * Connects to the queue of a nightly run's jobs: BullMQ on Redis, Valkey or PostgreSQL. BullMQ is an optional package,
 * so it is loaded only with HUBLEDGER_QUEUE_URL. The types below declare only the members in use.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { VariableError } from '../../base/config-error.js';
import type { Config } from '../../config.js';
import { DatasetStore } from '../../publish/store/dataset-store.js';
import { type Patience, retrying, StoreAway } from '../../publish/store/object-store.js';
import type { JobKind } from '../jobs/job-kinds.js';
import { QueueKey, type Signed } from './queue-key.js';

/**
 * A job in the queue. `data` is a Signed with the text of a JobData, or whatever else somebody has written to the queue:
 * read it with `readJob`. The text is signed because BullMQ on PostgreSQL changes the order of the members of objects.
 */
export interface QueuedJob {
  readonly id?: string;
  readonly data: unknown;
  readonly failedReason?: string;
  getState(): Promise<string>;
  moveToWait(token: string): Promise<unknown>;
  remove(): Promise<unknown>;
}

export interface JobData {
  readonly kind: JobKind;
  /** SHA-256 of the job's description, which is an object in the object store. */
  readonly description: string;
  /** Key of the job's result in the object store. */
  readonly key: string;
  /** Version of the program. Only workers of the same version can run the job. */
  readonly program: string;
  /** Name for log lines, for example 'months 2026-03'. */
  readonly name: string;
  /** If true, the worker runs the job even if the object store already has its result. */
  readonly again: boolean;
  /** If true, the job starts before all waiting jobs. */
  readonly isUrgent: boolean;
}

export const idOf = ({ kind, key }: Pick<JobData, 'kind' | 'key'>): string => `${kind}-${key}`;

interface NewJob {
  readonly name: string;
  readonly data: Signed;
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

/** Prefix of the keys in Redis, and schema of the tables in PostgreSQL. */
const NAMESPACE = 'hubledger_queue';

const CONNECT_MS = 10_000;
const REPLY_MS = 30_000;
/** Metrics wait at most this long for the queue. */
const MONITOR_MS = 2000;

/** If a worker dies, another worker can take its job after at most LOCK_MS + CHECK_MS = 30 s. */
const LOCK_MS = 20_000;
const CHECK_MS = 10_000;

/** Attempts for a job that fails because of the system, for example because of a full disk. */
const ATTEMPTS = 3;
const BACKOFF_MS = 1000;
/** A job fails if this many workers have ended while they were running the job. */
const DEAD_WORKERS_MAX = 10;
/** Text of BullMQ for a job of which DEAD_WORKERS_MAX workers have ended. */
const STALLED = 'job stalled more than allowable limit';
/** Results that no nightly run has read are removed after this number of seconds. */
const UNREAD_SECONDS = 86_400;

export interface QueueState {
  readonly workers: number;
  readonly waiting: number;
  readonly active: number;
}

/**
 * Opens the queue of a store. Each store has its own queue on the server.
 * @throws VariableError if the package is missing, or if the queue does not respond
 */
export async function openQueue(url: string, key: QueueKey, patience: Patience): Promise<NightQueue> {
  const queue = new NightQueue(await loadBullMq(url), url, key, patience);
  try {
    await queue.requireReply();
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
  /** The last connection error. Errors of operations by ioredis do not contain their cause. */
  private connectionError: Error | undefined;

  constructor(
    private readonly bullMq: BullMq,
    private readonly url: string,
    readonly key: QueueKey,
    private readonly patience: Patience,
  ) {
    const { Queue } = bullMq;
    this.queue = new Queue(this.name, { ...this.options({ retries: 1 }), skipWaitingForReady: true }, this.backend);
    this.queue.on('error', (error) => {
      if ('code' in error) this.connectionError = error;
    });
  }

  private get name(): string {
    return `night-${this.key.storeId}`;
  }

  /** Host and port of the queue, without the password. */
  get place(): string {
    return new URL(this.url).host;
  }

  async requireReply(): Promise<void> {
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

  /** Adds signed jobs. Ignores jobs whose id is already in the queue. */
  async add(jobs: readonly JobData[]): Promise<void> {
    const retries = { attempts: ATTEMPTS, backoff: { type: 'exponential', delay: BACKOFF_MS } };
    const unread = { age: UNREAD_SECONDS };
    const opts = { ...retries, removeOnComplete: unread, removeOnFail: unread };
    const added = jobs.map((data) => ({
      name: data.name,
      data: this.key.signed('job', JSON.stringify(data)),
      opts: { ...opts, jobId: idOf(data), lifo: data.isUrgent },
    }));
    await this.again(() => this.queue.addBulk(added));
  }

  /** Returns an error that makes a job fail. @param text text of the failure, which is signed */
  failure(id: string, text: string, attempts: 'no other attempt' | 'other attempts'): Error {
    const { UnrecoverableError } = this.bullMq;
    const message = JSON.stringify(this.key.signed('failure', JSON.stringify([id, text])));
    return attempts === 'no other attempt' ? new UnrecoverableError(message) : new Error(message);
  }

  /** Returns the text of a job's failure; undefined if neither a worker with this key nor BullMQ wrote it. */
  failureText({ id, failedReason = '' }: QueuedJob): string | undefined {
    if (failedReason === STALLED) return STALLED;
    const [failed, text] = JSON.parse(this.key.textIn('failure', parsed(failedReason)) ?? '[]');
    return failed === id ? text : undefined;
  }

  /** Removes a job, unless a worker is running it. */
  async remove(id: string): Promise<void> {
    await this.again(async () => {
      const job = await this.queue.getJob(id);
      if (job && (await job.getState()) !== 'active') await job.remove();
    });
  }

  jobs(state: 'waiting' | 'completed' | 'failed', count: number): Promise<QueuedJob[]> {
    return this.again(async () => {
      const jobs = await this.queue.getJobs([state], 0, count - 1);
      return jobs.filter((job) => job !== undefined); // undefined if a job was removed while the list was read
    });
  }

  state(): Promise<QueueState> {
    return this.again(async () => {
      const { waiting = 0, active = 0, delayed = 0 } = await this.queue.getJobCounts('waiting', 'active', 'delayed');
      return { workers: (await this.queue.getWorkers()).length, waiting: waiting + delayed, active };
    });
  }

  /** Repeats an operation until the queue responds or patience ends. */
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
      this.name,
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

  /** Moves a running job back to the queue. Its processor must throw the returned error. */
  async giveBack(job: QueuedJob, token: string): Promise<Error> {
    await job.moveToWait(token);
    return new this.bullMq.WaitingError();
  }

  async close(): Promise<void> {
    await this.queue.close().catch(() => {}); // fails if the connection is lost
  }

  private get backend(): unknown {
    return isPostgres(this.url) ? this.bullMq.createPostgresBackend : undefined;
  }

  private options({ retries }: { readonly retries: number | null }): object {
    if (isPostgres(this.url)) {
      const timeouts = { connectionTimeoutMillis: CONNECT_MS, query_timeout: REPLY_MS };
      return { connection: { connectionString: this.url, schema: NAMESPACE, migrate: true, ...timeouts } };
    }
    const timeouts = { connectTimeout: CONNECT_MS, commandTimeout: REPLY_MS };
    return { connection: { url: this.url, maxRetriesPerRequest: retries, ...timeouts }, prefix: NAMESPACE };
  }

  private away(error: Error): StoreAway {
    const cause = this.connectionError ?? error;
    this.connectionError = undefined;
    // If connections to several addresses are refused, node-postgres throws one AggregateError without a message.
    const { message } = cause instanceof AggregateError ? cause.errors[0] : cause;
    return new StoreAway(`the queue at ${this.place} does not answer (${message})`);
  }
}

/** @returns undefined if the text is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type QueueConfig = Pick<Config, 'queueUrl' | 'queueKey' | 'storeUrl' | 's3Endpoint'>;

/** Name of the queue of a store without an id. It has no jobs, because no nightly run has used the store with a queue. */
const NO_STORE = 'none';

/**
 * Opens the queue of the store at HUBLEDGER_STORE_URL to read its state. Writes nothing to the store.
 * @returns undefined if no queue is configured
 */
export async function openQueueState(config: QueueConfig): Promise<NightQueue | undefined> {
  const { queueUrl, queueKey, storeUrl, s3Endpoint } = config;
  if (queueUrl === undefined) return undefined;
  const patience = { forMs: 0, say() {} };
  const store = await DatasetStore.open(storeUrl!, s3Endpoint, patience);
  return openQueue(queueUrl, new QueueKey(queueKey!, (await store.readId()) ?? NO_STORE), patience);
}

/** Reads the state of the queue for metrics. Connects at the first read, and connects again after an error. */
export class QueueMonitor {
  private queue: Promise<NightQueue | undefined> | undefined;

  constructor(private readonly config: QueueConfig) {}

  /** @returns undefined if no queue is configured; null if the queue does not respond */
  async state(): Promise<QueueState | null | undefined> {
    this.queue ??= openQueueState(this.config);
    const state = this.queue.then((queue) => queue?.state());
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
    await queue?.then((open) => open?.close()).catch(() => {});
  }
}
