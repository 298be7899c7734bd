import { describeTable, writeTable } from '../../base/duckdb/table-file.js';
import { buildWalletIndex } from '../../publish/build-wallet-index.js';
import { eventLinesFile, writeEventLines } from '../../publish/wallet-batches.js';
import type { Artifacts } from '../artifacts.js';
import { type LedgerJob, replayLedger } from '../jobs/replay/replay-ledger.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';

/** Writes priced_events as a table and as a text file. */
export async function priceEvents(
  { span }: Pick<Artifacts, 'span' | 'chain_events' | 'holdings' | 'prices'>,
  { database, folder, indexFolder }: StepContext,
): Promise<Pick<Artifacts, 'priced_events' | 'event_lines'>> {
  await database.run('tables/priced_events');
  const priced_events = await writeTable(database, 'priced_events', folder, span.months);
  const event_lines = eventLinesFile(indexFolder);
  await writeEventLines(database, event_lines);
  return { priced_events, event_lines };
}

export async function replayWallets(
  { start, span: { months }, event_lines }: Pick<Artifacts, 'start' | 'span' | 'event_lines'>,
  { database, folder, options, signal }: StepContext,
): Promise<Pick<Artifacts, 'ledger_entries' | 'closing_positions'>> {
  const job: LedgerJob = { eventLines: event_lines, hasOpening: start !== undefined, folder, months };
  const worker = new URL('../jobs/replay/replay-worker.js', import.meta.url);
  await runJobs({ jobs: [job], run: replayLedger, worker, threads: Math.min(options.workers, 1), signal });
  return {
    ledger_entries: await describeTable(database, 'ledger_entries', folder),
    closing_positions: await describeTable(database, 'closing_positions', folder),
  };
}

type Inputs = 'event_lines' | 'priced_events' | 'flagged_receipts' | 'other_tables';

export async function buildIndex(
  { event_lines, priced_events, flagged_receipts, other_tables }: Pick<Artifacts, Inputs>,
  { folder, indexFolder, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'wallet_index'>> {
  const dataset = { tables: [flagged_receipts, ...other_tables] };
  let done = 0;
  await buildWalletIndex(folder, dataset, indexFolder, event_lines, reference, (rows) => {
    done += rows;
    progress.update(done, priced_events.rows);
  });
  return { wallet_index: indexFolder };
}
