/** The step that reads the starting state, once: what holdings are folded from, and the balances before the first block. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Artifacts } from '../artifacts.js';
import { cacheKey } from '../cache-key/cache-key.js';
import { ConfigError } from '../config-error.js';
import { listFolder, removeUnfinished } from '../disk/atomic-files.js';
import { damagedFile } from '../disk/sealed-folder.js';
import { readStart, startFolder } from '../jobs/fold/holdings-folder.js';
import { makeStart, type StartJob } from '../jobs/fold/make-start.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';

/** The entry modules of the jobs that read a starting state and fold blocks. */
const WORKERS = ['../jobs/fold/start-worker.js', '../jobs/chain/chain-worker.js'].map(
  (path) => new URL(path, import.meta.url),
);

/** Bytes up to which a state, compressed or not, fits into any thread's memory: no thread of its own is worth its start. */
const SMALL_STATE = 16_000_000;

/**
 * Reads the starting state when this is the first night with it. Without one there are no holdings.
 * @throws ConfigError when it cannot be read, or is of another chain
 */
export async function loadStart(
  _none: Record<never, never>,
  { config, nodeChainId, progress, signal }: StepContext,
): Promise<Pick<Artifacts, 'state'>> {
  if (config.genesis === undefined) return { state: undefined };
  const cache = join(config.dataDir, 'holdings');
  const folder = join(
    cache,
    cacheKey(
      WORKERS.map((url) => fileURLToPath(url)),
      [nodeChainId, fingerprint(config.genesis)],
    ),
  );
  removeUnfinished(folder);
  const damaged = await damagedFile(startFolder(folder));
  if (damaged !== undefined && listFolder(startFolder(folder)).length > 0) {
    progress.say('the starting state is damaged: it is read anew', { file: join(startFolder(folder), damaged) });
  }
  if (damaged !== undefined) await makeOnThread({ source: config.genesis, folder }, config.stateHeap, signal);
  const start = readStart(folder)!;
  if (start.chainId !== nodeChainId) {
    throw new ConfigError(`the starting state is of ${start.chainId}, not of ${nodeChainId} (HUBLEDGER_GENESIS)`);
  }
  for (const { sum, of, amount } of start.differences) {
    progress.say(`the starting state has a difference in ${sum} of ${of}, which is kept: ${amount}`, {
      sum,
      of,
      amount,
    });
  }
  return { state: { ...start, folder } };
}

/** A large state gets a thread with a limit on its memory: without one, V8 would rather grow than collect. */
function makeOnThread(job: StartJob, heap: number, signal: AbortSignal): Promise<void> {
  const path = pathOf(job.source);
  const threads = path !== undefined && statSync(path).size <= SMALL_STATE ? 0 : 1;
  const [worker] = WORKERS;
  return runJobs({ jobs: [job], run: makeStart, worker: worker!, threads, heap, signal });
}

/** Path of a starting state that is a file. */
function pathOf(source: string): string | undefined {
  if (/^https?:/.test(source)) return undefined;
  return source.startsWith('file:') ? fileURLToPath(source) : resolve(source);
}

/** Tells a starting state from others without reading gigabytes: a URL by its name, a file also by its size and time. */
function fingerprint(source: string): readonly unknown[] {
  const path = pathOf(source);
  if (path === undefined) return [source];
  try {
    const { size, mtimeMs } = statSync(path);
    return [path, size, mtimeMs];
  } catch (error) {
    throw new ConfigError(`HUBLEDGER_GENESIS cannot be read: ${(error as Error).message}`);
  }
}
