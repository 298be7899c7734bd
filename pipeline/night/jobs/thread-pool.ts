/**
 * Runs jobs on worker threads. All steps of a nightly run share these threads, so that each thread loads the program
 * only once.
 */
import { availableParallelism, totalmem } from 'node:os';
import { CHAINED, JOB_KINDS, type JobKind, type JobOf, type Task } from './job-kinds.js';
import type { Executor, RunOptions } from './run-jobs.js';
import { HAS_THREADS, JobThread } from './threads.js';

/** Memory that a thread and its DuckDB database may need, in bytes. */
const THREAD_BYTES = 768 * 2 ** 20;
/** Memory for the fold and the main thread, in bytes. */
const OTHER_BYTES = 2 * 2 ** 30;

/** A container may have less memory than its machine. */
const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Default number of threads for jobs. Leaves one core for the thread that reads the chain, and memory for the fold. */
export const USUAL_WORKERS = Math.max(
  1,
  Math.min(availableParallelism() - 1, Math.floor((memory - OTHER_BYTES) / THREAD_BYTES)),
);

const WORKER = new URL('./job-worker.js', import.meta.url);

interface WaitingTask extends Task {
  mayRunHere: boolean;
  readonly mayStartThread: boolean;
  readonly signal: AbortSignal;
  readonly resolve: (result: Promise<void>) => void;
}

interface Lane {
  readonly hasEnded?: boolean;
  run(task: Task): Promise<void>;
}

const thisThread: Lane = { run: ({ kind, job }) => JOB_KINDS[kind](job as never) };

export class ThreadPool implements Executor {
  private readonly waiting = new Map<JobKind, WaitingTask[]>();
  private readonly busy = new Set<Lane>();
  private readonly threads = new Set<JobThread<Task>>();
  private readonly size: number;

  /** @param size maximum number of threads; if 0, all jobs run in the calling thread */
  constructor(size: number) {
    this.size = HAS_THREADS ? size : 0;
  }

  run<Kind extends JobKind>(kind: Kind, job: JobOf<Kind>, { signal, helps }: RunOptions): Promise<void> {
    return new Promise((resolve) => {
      const mayRunHere = this.size === 0 || helps === true || helps === 'no new thread';
      const task: WaitingTask = { kind, job, signal, resolve, mayRunHere, mayStartThread: helps !== 'no new thread' };
      if (helps instanceof Promise) helps.then(() => this.allowHere(task)).catch(() => {});
      const queue = this.waiting.get(kind);
      if (queue) queue.push(task);
      else this.waiting.set(kind, [task]);
      this.startTasks();
    });
  }

  /** Call only when no job is running. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.close()));
    this.threads.clear();
  }

  private allowHere(task: WaitingTask): void {
    task.mayRunHere = true;
    this.startTasks();
  }

  /** Starts waiting tasks, first those of chains. Alternates between other kinds, so that steps share the threads. */
  private startTasks(): void {
    const kinds = [...this.waiting].sort(([a], [b]) => Number(CHAINED.has(b)) - Number(CHAINED.has(a)));
    for (const [kind, queue] of kinds) {
      const lane = this.laneFor(queue[0]!);
      if (!lane) continue;
      const task = queue.shift()!;
      this.waiting.delete(kind);
      if (queue.length > 0) this.waiting.set(kind, queue);
      this.start(task, lane);
      this.startTasks();
      return;
    }
  }

  /**
   * Returns a free thread. Starts a new thread only if all threads are busy, because a new thread must first load the
   * program.
   */
  private laneFor({ mayRunHere, mayStartThread }: WaitingTask): Lane | undefined {
    for (const thread of this.threads) if (!this.busy.has(thread)) return thread;
    if (mayRunHere && !this.busy.has(thisThread)) return thisThread;
    if (!mayStartThread || this.threads.size >= this.size) return undefined;
    const thread = new JobThread<Task>(WORKER);
    this.threads.add(thread);
    return thread;
  }

  private start({ kind, job, signal, resolve }: WaitingTask, lane: Lane): void {
    if (signal.aborted) {
      resolve(Promise.reject(signal.reason));
      return;
    }
    this.busy.add(lane);
    const end = () => {
      this.busy.delete(lane);
      if (lane.hasEnded) this.threads.delete(lane as JobThread<Task>);
      this.startTasks();
    };
    resolve(lane.run({ kind, job }).finally(end));
  }
}
