/**
 * Follows an upstream in a separate process, so that fetching files and building indexes never delay responses. The
 * process writes CURRENT, and the server then switches to the generation that CURRENT names.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import type { FollowConfig, FollowJob, FollowState, FromFollower } from './messages.js';

const RESTART_MS = 5000;
const MODULE = new URL('./follow-process.js', import.meta.url);

function start(job: FollowJob): ChildProcess {
  const child = fork(MODULE, [JSON.stringify(job)]);
  try {
    setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has already ended, or the system does not allow the signal.
  }
  return child;
}

export class Follower {
  private current: FollowState;
  private child: ChildProcess | undefined;
  private restart: NodeJS.Timeout | undefined;
  private isClosed = false;
  private succeededAt = performance.now();

  private constructor(
    private readonly config: FollowConfig,
    upstream: string,
    private readonly log: Logger,
  ) {
    this.current = { upstream, generation: null, last_success: null, failures: 0, error: null, fetched: null };
    this.run();
  }

  /** @returns undefined if no upstream is configured */
  static start({ now, ...config }: Omit<FollowConfig, 'startedAt'> & Pick<Config, 'now'>, log: Logger) {
    const { dataDir, followUrl, followKeys, storeUrl, s3Endpoint, cacheBytes } = config;
    const upstream = followUrl ?? storeUrl;
    if (upstream === undefined) return undefined;
    const startedAt = now().getTime();
    const settings = { dataDir, followUrl, followKeys, storeUrl, s3Endpoint, cacheBytes, startedAt };
    return new Follower(settings, upstream, log);
  }

  get state(): FollowState {
    return this.current;
  }

  /** Milliseconds since the last successful attempt, or since the start. */
  get age(): number {
    return performance.now() - this.succeededAt;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.restart);
    this.child?.kill('SIGKILL');
  }

  /** Starts the process, and restarts it whenever it ends. The process ends after each update to free its memory. */
  private run(): void {
    const child = start({ follow: this.config });
    this.child = child;
    child.on('message', (message: FromFollower) => {
      if ('state' in message && message.state.last_success) this.succeededAt = performance.now();
      if ('state' in message) this.current = { ...this.current, ...message.state };
      else this.log[message.log](message.facts, message.text);
    });
    child.on('error', (err) => this.log.error({ err }, 'the follower cannot be started'));
    child.on('close', (code, signal) => {
      if (this.isClosed) return;
      if (code !== 0) {
        const error = `the follower ended with ${signal ?? `exit code ${code}`}`;
        this.current = { ...this.current, failures: this.current.failures + 1, error };
        this.log.error({ code, signal }, 'the follower ended unexpectedly and is started again');
      }
      this.restart = setTimeout(() => this.run(), code === 0 ? 0 : RESTART_MS);
    });
  }
}

/**
 * Builds the wallet index of a generation in a separate process.
 * @returns undefined if the index was built, otherwise the error
 */
export function prepareBeside(dataDir: string, generation: string, signal: AbortSignal): Promise<string | undefined> {
  const child = start({ prepare: generation, dataDir });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  return new Promise((resolve) => {
    let fault: string | undefined;
    child.on('message', (message: FromFollower) => {
      if ('log' in message) fault = message.text;
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, ended) => {
      signal.removeEventListener('abort', stop);
      resolve(code === 0 ? undefined : (fault ?? `the process ended with ${ended ?? `exit code ${code}`}`));
    });
  });
}
