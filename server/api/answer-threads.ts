/**
 * Worker threads that make long answers, so that long answers never block other requests. If a thread dies, it is
 * replaced, and its request gets status 503.
 */

import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { ValidatorJurisdictions } from '../../schemas/types.generated.js';
import { clientLeft } from '../http/connections.js';
import { LIMITS } from '../http/limits.js';
import { Problem, type ProblemCode, type ProblemExtras } from '../http/problem.js';
import type { GivenDecisions } from '../people/decisions.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { type Body, openSpool, SpoolError, type Spooled, type Written } from './answer.js';
import type { Endpoint } from './endpoint.js';
import type { AnswerSources, Asked, Told } from './make-answer.js';

/** Heap limit of a thread. A thread that exceeds it dies. */
const HEAP_MIB = 256;
const RETRY_AFTER_SECONDS = 10;
const CLOSE_MS = 1000;

/** A task of a thread: answer a request, or check decisions against their wallet before they are saved. */
type Task =
  | { readonly asked: Asked; readonly spoolFd: number }
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

type Done = { readonly told: Told } & (
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
}

export class AnswerThreads {
  private readonly idle: Thread[] = [];
  private readonly alive = new Set<Worker>();
  private readonly limit = pLimit(LIMITS.answers.threads.max);

  constructor(private readonly options: ThreadsOptions) {}

  warm(): void {
    while (this.alive.size < LIMITS.answers.threads.max) this.idle.push(this.open());
  }

  knows(endpoint: Endpoint): boolean {
    return this.options.endpoints.includes(endpoint);
  }

  /**
   * Makes an answer in a thread. @param told receives facts about the answer, even if the request is refused
   * @throws Problem, or an error if the client disconnected
   */
  async make(
    asked: Asked,
    dataset: Dataset,
    calls: Calls,
    told: Told,
    signal: AbortSignal,
  ): Promise<Body | Spooled | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await openSpool();
      const task = { asked, spoolFd: file.fd };
      const made = (await this.run(task, dataset, calls, told, signal)) as Body | Written | undefined;
      if (signal.aborted) throw clientLeft();
      if (!made || 'bytes' in made) return made;
      const spooled = { ...made, file };
      file = undefined;
      return spooled;
    } catch (error) {
      if (signal.aborted) throw clientLeft();
      if (!(error instanceof SpoolError)) throw error;
      this.options.log.error(error.message);
      throw new Problem('unavailable', 'the answer could not be stored, because a disk of the server is full', {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    } finally {
      // The thread has answered or died, so it writes no longer.
      await file?.close();
    }
  }

  /** Drops decisions about record ids that the wallet does not have. */
  async fitDecisions(given: GivenDecisions, address: string, dataset: Dataset): Promise<GivenDecisions> {
    const told = { ignored: [], isPersonal: true };
    return (await this.run({ fitting: { given, address } }, dataset, NO_CALLS, told)) as GivenDecisions;
  }

  private run(task: Task, dataset: Dataset, calls: Calls, told: Told, signal?: AbortSignal) {
    return this.limit(async () => {
      if (signal?.aborted) throw clientLeft();
      const { generation, tag, reference } = dataset;
      const thread = this.idle.pop() ?? this.open();
      const { worker, leaving } = thread;
      Atomics.store(leaving, 0, 0);
      const leave = () => Atomics.store(leaving, 0, 1);
      signal?.addEventListener('abort', leave, { once: true });
      try {
        const done = await this.finish(
          worker,
          { ...task, generation, tag, jurisdictions: reference.jurisdictions },
          calls,
        );
        this.idle.push(thread);
        Object.assign(told, done.told);
        if ('value' in done) return done.value;
        if ('error' in done) throw done.error;
        if ('spoolError' in done) throw new SpoolError(done.spoolError);
        throw new Problem(done.problem.code, done.problem.detail, done.problem.extras);
      } finally {
        signal?.removeEventListener('abort', leave);
      }
    });
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

const NO_CALLS: Calls = {
  store: { query: () => Promise.reject(new Error('this job asks no store')) },
  chargeRows: async () => {},
};

const send = (thread: Worker, message: ToThread) => thread.postMessage(message);
