/** Holdings folded block by block from the starting state, in a thread of its own. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rawFolder } from '../chain/raw-files.js';
import type { Fold, Night } from '../night.js';
import { listFolder } from '../publish/files.js';
import { foldRange } from './fold-range.js';
import { dropLater, openFolder, tidyHoldings } from './holdings-folder.js';
import { HAS_THREADS, runJobs } from './run-jobs.js';

/** MiB: a million delegations fold in half of it, and the whole night is to stay under one and a half GiB. */
const FOLD_HEAP = 1024;

/**
 * Begins to fold up to a height, while the blocks up to there still arrive. Without threads, or without a starting state, it
 * does not begin so early.
 */
export function beginFold(night: Night, last: number): void {
  if (HAS_THREADS && night.start) night.fold = openFold(night, night.start.folder, last);
}

/**
 * Folds what is new; without a starting state nothing. All rows are on disk then, see holdings-folder.
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
export async function foldHoldings(night: Night): Promise<void> {
  const { start, span } = night;
  if (start === undefined) return;
  night.fold ??= openFold(night, start.folder, span.last);
  await night.fold.finished;
  tidyHoldings(start.folder, span.last);
  for (const other of listFolder(dirname(start.folder))) {
    const path = join(dirname(start.folder), other);
    if (path !== start.folder) rmSync(path, { recursive: true });
  }
}

function openFold({ config, nodeChainId }: Night, folder: string, last: number): Fold {
  dropLater(folder, last);
  if (existsSync(openFolder(folder, last))) return { finished: Promise.resolve(), abandon: () => {} };
  const controller = new AbortController();
  const finished = runJobs({
    jobs: [{ folder, rawFolder: rawFolder(config.dataDir, nodeChainId), last }],
    run: foldRange,
    worker: new URL('./fold-worker.js', import.meta.url),
    threads: 1,
    heap: FOLD_HEAP,
    signal: controller.signal,
  });
  finished.catch(() => {}); // whoever waits for it is told; until then the night goes on
  return { finished, abandon: () => controller.abort() };
}
