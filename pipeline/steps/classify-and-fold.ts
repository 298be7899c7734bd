/** The step that reads blocks for rows and for holdings, both at the same time: neither needs the other. */

import { settleAll } from '../jobs/run-jobs.js';
import type { Night } from '../night.js';
import { classifyRanges } from './classify.js';
import { foldHoldings } from './fold-holdings.js';

export async function readBlocks(night: Night): Promise<void> {
  await settleAll([foldHoldings(night), classifyRanges(night)]);
}
