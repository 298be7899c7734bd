/**
 * Loads the starting state and caches it for later nightly runs: opening balances, and a checkpoint from which the fold
 * (which computes holdings block by block) starts.
 */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { ConfigError } from '../../base/config-error.js';
import { listFolder, removeUnfinished } from '../../base/disk/atomic-files.js';
import { damagedFile } from '../../base/disk/sealed-folder.js';
import type { Artifacts } from '../artifacts.js';
import { HoldingsFolder } from '../jobs/fold/holdings-folder.js';
import { makeStart, type StartJob } from '../jobs/fold/make-start.js';
import { runOnThread } from '../jobs/threads.js';
import type { StepContext } from '../night.js';

/** Modules that load a starting state and compute holdings. The cache key covers their code. */
const WORKERS = ['../jobs/fold/start-worker.js', '../jobs/chain/chain-worker.js'].map(
  (path) => new URL(path, import.meta.url),
);

/** Maximum size in bytes of a file that the main thread loads. Larger files are loaded on a separate thread. */
const SMALL_STATE = 16_000_000;

/** @throws ConfigError if the state is unreadable or belongs to another chain */
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
  const holdings = new HoldingsFolder(folder);
  const damaged = await damagedFile(holdings.start);
  if (damaged !== undefined && listFolder(holdings.start).length > 0) {
    progress.say('the starting state is damaged and is loaded again', { file: join(holdings.start, damaged) });
  }
  if (damaged !== undefined) await makeOnThread({ source: config.genesis, folder }, config.stateHeap, signal);
  const start = holdings.readStart()!;
  if (start.chainId !== nodeChainId) {
    throw new ConfigError(`HUBLEDGER_GENESIS: the starting state belongs to ${start.chainId}, not to ${nodeChainId}`);
  }
  for (const { sum, of, amount } of start.differences) {
    progress.say(`the starting state differs in ${sum} of ${of} by ${amount}; the difference stays`, {
      sum,
      of,
      amount,
    });
  }
  return { state: { ...start, folder } };
}

function makeOnThread(job: StartJob, heap: number, signal: AbortSignal): Promise<void> {
  const path = pathOf(job.source);
  const onThread = path === undefined || statSync(path).size > SMALL_STATE;
  const [worker] = WORKERS;
  return runOnThread({ job, run: makeStart, worker: worker!, onThread, heap, signal });
}

function pathOf(source: string): string | undefined {
  if (/^https?:/.test(source)) return undefined;
  return source.startsWith('file:') ? fileURLToPath(source) : resolve(source);
}

/** Identifies a starting state without reading gigabytes: by URL, or by path, size and modification time. */
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
