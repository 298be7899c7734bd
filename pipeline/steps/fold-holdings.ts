/** Holdings folded block by block from the starting state, in a thread of its own. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Night } from '../night.js';
import { listFolder } from '../publish/files.js';
import { foldRange } from './fold-range.js';
import { dropLater, lastCheckpoint, openFolder, tidyHoldings } from './holdings-folder.js';
import { rangeParts } from './index-chain.js';
import { runJobs } from './run-jobs.js';

/**
 * Folds what is new; without a starting state nothing. All rows are on disk then, see holdings-folder.
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
export async function foldHoldings(night: Night): Promise<void> {
  const { start, span } = night;
  if (start === undefined) return;
  const { folder } = start;
  dropLater(folder, span.last);
  if (!existsSync(openFolder(folder, span.last))) {
    const ranges = rangeParts(night, lastCheckpoint(folder).height + 1, span.last).map(({ raw }) => raw);
    await runJobs({
      jobs: [{ folder, ranges, last: span.last }],
      run: foldRange,
      worker: new URL('./fold-worker.js', import.meta.url),
      threads: 1,
    });
  }
  tidyHoldings(folder, span.last);
  for (const other of listFolder(dirname(folder))) {
    if (join(dirname(folder), other) !== folder) rmSync(join(dirname(folder), other), { recursive: true });
  }
}
