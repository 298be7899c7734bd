/** What reads the rows of priced_events: the journal and the wallet store, both at the same time, for neither needs the other. */

import { type LedgerJob, replayLedger } from '../jobs/replay/replay-ledger.js';
import { beginJobs, HAS_THREADS, type Underway } from '../jobs/run-jobs.js';
import type { Night } from '../night.js';
import { buildWalletStore } from '../publish/build-wallet-store.js';
import { packedFile } from '../publish/wallet-pieces.js';
import { describeTable } from '../publish/write-table.js';
import { extentOf } from './extent.js';

export async function replayWallets(night: Night): Promise<void> {
  const { database, folder, tables, span } = night;
  await buildStore(night);
  night.replay ??= openReplay(night);
  await night.replay.finished;
  tables.push(await describeTable(database, 'ledger_entries', folder, span.months));
  tables.push(await describeTable(database, 'closing_positions', folder));
}

/** Begins to replay as soon as the rows of priced_events are packed; without threads it does not begin so early. */
export function beginReplay(night: Night): void {
  if (HAS_THREADS) night.replay = openReplay(night);
}

function openReplay({ folder, storeFolder, span }: Night): Underway {
  const job: LedgerJob = { packedEvents: packedFile(storeFolder), folder, months: span.months };
  const worker = new URL('../jobs/replay/replay-worker.js', import.meta.url);
  return beginJobs({ jobs: [job], run: replayLedger, worker, threads: 1 });
}

async function buildStore(night: Night): Promise<void> {
  const { folder, storeFolder, reference, tables, progress } = night;
  const total = tables.find(({ name }) => name === 'priced_events')!.rows;
  let done = 0;
  const packed = packedFile(storeFolder);
  await buildWalletStore(folder, { tables, ...extentOf(night) }, storeFolder, packed, reference, (rows) => {
    done += rows;
    progress.update(done, total);
  });
}
