/** Runs jobs on worker threads. A job is plain data, and writes its results to disk. */
import { parentPort, Worker } from 'node:worker_threads';
import { ConfigError, DifferentPieces, isSystemFault, SpanError } from '../../base/config-error.js';
import { BlockError } from '../../chain/block-error.js';
import { DamagedFileError } from '../../chain/raw-files.js';

/** False if the program runs from TypeScript sources, which worker threads cannot load. */
export const HAS_THREADS = import.meta.filename.endsWith('.js');

type Message<Progress> =
  | { readonly progress: Progress }
  | { readonly isDone: true }
  | { readonly isDone: false; readonly error: JobError };

type Request<Job> = { readonly job: Job } | 'abort';

export interface JobContext<Progress> {
  readonly report: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** A thread that runs one job at a time. */
export class JobThread<Job, Progress = never> {
  private readonly thread: Worker;
  private current: { readonly done: () => void; readonly fail: (error: Error) => void } | undefined;
  private onProgress: ((progress: Progress) => void) | undefined;
  hasEnded = false;

  /** @param heap heap limit in MiB; without a limit, V8 grows the heap instead of collecting garbage */
  constructor(worker: URL, heap?: number) {
    this.thread = new Worker(worker, heap === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heap } });
    const end = (error: Error) => {
      this.hasEnded = true;
      this.current?.fail(error);
    };
    this.thread.on('error', end);
    this.thread.on('exit', (code) => end(new Error(`a worker thread ended with code ${code}`)));
    this.thread.on('message', (message: Message<Progress>) => {
      if ('progress' in message) this.onProgress?.(message.progress);
      else if (message.isDone) this.current?.done();
      else this.current?.fail(deserializeError(message.error));
    });
  }

  run(job: Job, onProgress?: (progress: Progress) => void): Promise<void> {
    this.onProgress = onProgress;
    return new Promise((done, fail) => {
      this.current = { done, fail };
      this.send({ job });
    });
  }

  abort(): void {
    this.send('abort');
  }

  /** Must be called between jobs, because terminating a thread during a DuckDB query crashes the process. */
  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private send(request: Request<Job>): void {
    this.thread.postMessage(request);
  }
}

interface SpecialJob<Job, Progress> {
  readonly job: Job;
  readonly run: (job: Job, context: JobContext<Progress>) => Promise<void>;
  readonly worker: URL;
  readonly heap: number;
  /** If false, the job runs in the calling thread. */
  readonly onThread: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Runs a job on a separate thread, which has its own memory limit. */
export async function runOnThread<Job, Progress>(special: SpecialJob<Job, Progress>): Promise<void> {
  const { job, run, worker, heap, onThread, signal, onProgress } = special;
  if (!onThread || !HAS_THREADS) return run(job, { report: (progress) => onProgress?.(progress), signal });
  const thread = new JobThread<Job, Progress>(worker, heap);
  const abort = () => thread.abort();
  signal.addEventListener('abort', abort);
  try {
    await thread.run(job, onProgress);
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.close();
  }
}

export function serveJobs<Job, Progress>(run: SpecialJob<Job, Progress>['run']): void {
  const port = parentPort!;
  const send = (message: Message<Progress>) => port.postMessage(message);
  const controller = new AbortController();
  const context = { report: (progress: Progress) => send({ progress }), signal: controller.signal };
  port.on('message', (request: Request<Job>) => {
    if (request === 'abort') return controller.abort();
    run(request.job, context).then(
      () => send({ isDone: true }),
      (error) => send({ isDone: false, error: serializeError(error) }),
    );
  });
}

type JobError =
  | { readonly damaged: Pick<DamagedFileError, 'height' | 'path'> }
  | { readonly block: Pick<BlockError, 'height' | 'hash' | 'reason'> }
  | { readonly config: string }
  | { readonly fault: string }
  | { readonly span: string }
  | { readonly different: string }
  | { readonly message: string };

export function serializeError(error: unknown): JobError {
  if (error instanceof DamagedFileError) return { damaged: { height: error.height, path: error.path } };
  if (error instanceof BlockError) {
    const { height, hash, reason } = error;
    return { block: { height, hash, reason } };
  }
  if (error instanceof SpanError) return { span: error.message };
  if (error instanceof DifferentPieces) return { different: error.message };
  if (error instanceof ConfigError) return { config: error.message };
  if (isSystemFault(error)) return { fault: error.message };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Restores the error's class, which is lost when an error passes between threads. */
export function deserializeError(error: JobError): Error {
  if ('damaged' in error) return new DamagedFileError(error.damaged.height, error.damaged.path);
  if ('block' in error) {
    const { height, hash, reason } = error.block;
    return new BlockError(height, hash, reason);
  }
  if ('span' in error) return new SpanError(error.span);
  if ('different' in error) return new DifferentPieces(error.different);
  if ('fault' in error) return Object.assign(new Error(error.fault), { syscall: 'in a job' });
  return 'config' in error ? new ConfigError(error.config) : new Error(error.message);
}
