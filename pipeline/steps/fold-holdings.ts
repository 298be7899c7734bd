/** Holdings folded block by block from the starting state: what is left to do when the blocks are on disk. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFolder } from '../disk/atomic-files.js';
import { tidyHoldings } from '../jobs/fold/holdings-folder.js';
import type { Night } from '../night.js';

/**
 * Waits for the fold, which began with the first block; without a starting state there is none. All rows are on disk then, see
 * holdings-folder.
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
export async function foldHoldings({ chain, start, span }: Night): Promise<void> {
  await chain!.finished;
  if (start === undefined) return;
  tidyHoldings(start.folder, span.last);
  for (const other of listFolder(dirname(start.folder))) {
    const path = join(dirname(start.folder), other);
    if (path !== start.folder) rmSync(path, { recursive: true });
  }
}
