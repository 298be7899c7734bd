/**
 * Worker threads that make long answers, so that long answers never block other requests. If a thread dies, it is
 * replaced, and its request gets status 503.
 */

import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ValidatorJurisdictions } from '../../schemas/types.generated.js';
import { clientLeft, Limiter, type Sender } from '../http/limiter.js';
import { LIMITS } from '../http/limits.js';
import { Problem, type ProblemCode, type ProblemExtras } from '../http/problem.js';
import type { GivenDecisions } from '../people/saved-entries.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import type { Body, Spooled, Written } from './answer.js';
import type { Endpoint } from './endpoint.js';
import type { AnswerNotes, AnswerSources, DatasetRequest } from './make-answer.js';
import { SpoolError, type Spools } from './spools.js';

/** Heap limit of a thread. A thread that exceeds it dies. */
const HEAP_MIB = 256;
const RETRY_AFTER_SECONDS = 10;
const CLOSE_MS = 1000;
/** A thread stops at the next rows when its client has left. If it reads no rows, it is ended after this time. */
const LEAVE_MS = 1000;

const { answers, waits } = LIMITS;

/** A task of a thread: answer a request, or check decisions against their wallet before they are saved. */
type Task =
  | { readonly request: DatasetRequest; readonly spool: { readonly fd: number; readonly bytesMax: number } }
  | { readonly fitting: { readonly given: GivenDecisions; readonly address: string } };

export type Job = Task & {
  readonly generation: string;
  readonly tag: string;
  readonly jurisdictions: ValidatorJurisdictions;
};

interface PlainProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly extras: ProblemExtras;
}

export interface ThreadData {
  readonly dataDir: string;
  /** Shared with the thread: 1 if the client of the current job has left. */
  readonly leaving: Int32Array;
}

export type Reply = { readonly value: unknown } | { readonly problem: PlainProblem };

export type ToThread = { readonly job: Job } | { readonly reply: Reply } | { readonly close: true };

type Done = { readonly notes: AnswerNotes } & (
  | { readonly value: Body | Written | GivenDecisions | undefined }
  | { readonly problem: PlainProblem }
  | { readonly spoolError: string }
  | { readonly error: Error }
);

export type FromThread =
  | Done
  | { readonly call: { readonly name: 'query' | 'chargeRows'; readonly args: readonly unknown[] } };

interface Thread {
  readonly worker: Worker;
  readonly leaving: Int32Array;
}

type Calls = Pick<AnswerSources, 'store' | 'chargeRows'>;

interface ThreadsOptions {
  readonly module: URL;
  readonly endpoints: readonly Endpoint[];
  readonly dataDir: string;
  readonly log: Logger;
  readonly spools: Spools;
  /** Time in which a thread must have finished a task, in milliseconds. */
  readonly taskMs?: number | undefined;
}

export class AnswerThreads {
  private readonly idle: Thread[] = [];
  private readonly alive = new Set<Worker>();
  private readonly limiter = new Limiter({
    running: answers.threads.max,
    runningOfAddress: answers.threadsOfAddress.max,
    runningOfClient: answers.threadsOfAddress.max,
    waiting: answers.threadWaiting.max,
    waitingOfClient: answers.threadWaitingOfClient.max,
    waitMs: waits.place.max,
  });

  constructor(private readonly options: ThreadsOptions) {}

  warm(): void {
    while (this.alive.size < LIMITS.answers.threads.max) this.idle.push(this.open());
  }

  canMake(endpoint: Endpoint): boolean {
    return this.options.endpoints.includes(endpoint);
  }

  /**
   * Makes an answer in a thread. @param notes receives facts about the answer, even if the request is refused
   * @throws Problem, or an error if the client disconnected
   */
  async make(
    request: DatasetRequest,
    dataset: Dataset,
    calls: Calls,
    notes: AnswerNotes,
    sender: Sender,
  ): Promise<Body | Spooled | undefined> {
    return this.limiter.run(sender, TOO_MANY, async () => {
      const { spools } = this.options;
      const spool = await spools.open(sender.client.address);
      let isKept = false;
      try {
        const task = { request, spool: { fd: spool.file.fd, bytesMax: spool.bytesMax } };
        const made = (await this.run(task, dataset, calls, notes, sender.signal)) as Body | Written | undefined;
        if (sender.signal.aborted) throw clientLeft();
        if (!made || 'bytes' in made) return made;
        isKept = true;
        spool.add(made.length);
        return { ...made, spool };
      } catch (error) {
        if (sender.signal.aborted) throw clientLeft();
        throw error instanceof SpoolError ? spools.problemOf(error) : error;
      } finally {
        // The thread has answered or ended, so it writes no longer.
        if (!isKept) await spool.close();
      }
    });
  }

  /** Drops decisions about record ids that the wallet does not have. @param calls charges the rows of the wallet */
  async fitDecisions(
    fitting: Extract<Task, { fitting: unknown }>['fitting'],
    dataset: Dataset,
    { chargeRows }: Pick<Calls, 'chargeRows'>,
    sender: Sender,
  ): Promise<GivenDecisions> {
    await chargeRows(dataset.rows(fitting.address));
    const notes = { ignored: [], isPersonal: true };
    const run = () => this.run({ fitting }, dataset, NO_CALLS, notes, sender.signal);
    return (await this.limiter.run(sender, TOO_MANY, run)) as GivenDecisions;
  }

  private async run(task: Task, dataset: Dataset, calls: Calls, notes: AnswerNotes, signal: AbortSignal) {
    const { generation, tag, reference } = dataset;
    const thread = this.idle.pop() ?? this.open();
    const { worker, leaving } = thread;
    Atomics.store(leaving, 0, 0);
    let end = setTimeout(() => worker.terminate(), this.options.taskMs ?? waits.thread.max);
    const leave = () => {
      Atomics.store(leaving, 0, 1);
      clearTimeout(end);
      end = setTimeout(() => worker.terminate(), LEAVE_MS);
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const job = { ...task, generation, tag, jurisdictions: reference.jurisdictions };
      const done = await this.finish(worker, job, calls);
      this.idle.push(thread);
      Object.assign(notes, done.notes);
      if ('value' in done) return done.value;
      if ('error' in done) throw done.error;
      if ('spoolError' in done) throw new SpoolError(done.spoolError);
      throw new Problem(done.problem.code, done.problem.detail, done.problem.extras);
    } finally {
      clearTimeout(end);
      signal.removeEventListener('abort', leave);
    }
  }

  private finish(thread: Worker, job: Job, { store, chargeRows }: Calls): Promise<Done> {
    return new Promise((resolve, reject) => {
      const died = () =>
        reject(
          new Problem('unavailable', 'the answer could not be made: ask for fewer wallets or fewer days', {
            retryAfter: RETRY_AFTER_SECONDS,
          }),
        );
      const take = async (message: FromThread) => {
        if (!('call' in message)) {
          thread.off('message', take).off('exit', died);
          return resolve(message);
        }
        const [first, second] = message.call.args as [never, never];
        try {
          const value = await (message.call.name === 'query' ? store.query(first, second) : chargeRows(first));
          send(thread, { reply: { value } });
        } catch (error) {
          const problem =
            error instanceof Problem ? error : new Problem('unavailable', 'saved entries cannot be looked up now');
          send(thread, { reply: { problem: { code: problem.code, detail: problem.detail, extras: problem.extras } } });
        }
      };
      thread.on('message', take).on('exit', died);
      send(thread, { job });
    });
  }

  private open(): Thread {
    const leaving = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const worker = new Worker(this.options.module, {
      workerData: { dataDir: this.options.dataDir, leaving } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const thread = { worker, leaving };
    this.alive.add(worker);
    worker.unref();
    worker.on('error', (err) => this.options.log.error({ err }, 'a thread that makes answers died'));
    worker.once('exit', () => {
      this.alive.delete(worker);
      if (this.idle.includes(thread)) this.idle.splice(this.idle.indexOf(thread), 1);
    });
    return thread;
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.alive].map(async (thread) => {
        thread.ref();
        const ended = once(thread, 'exit');
        send(thread, { close: true });
        await Promise.race([ended, wait(CLOSE_MS)]);
        await thread.terminate();
      }),
    );
  }
}

const TOO_MANY = new Problem(
  'unavailable',
  'too many long answers are in progress: retry later, or request fewer wallets',
  { retryAfter: RETRY_AFTER_SECONDS },
);

const NO_CALLS: Calls = {
  store: { query: () => Promise.reject(new Error('this job asks no store')) },
  chargeRows: async () => {},
};

const send = (thread: Worker, message: ToThread) => thread.postMessage(message);
