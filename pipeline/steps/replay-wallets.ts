/** The step that keeps the books of every wallet: the journal, and what is left at the end. */
import type { Artifacts } from '../artifacts.js';
import { type LedgerJob, replayLedger } from '../jobs/replay/replay-ledger.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { describeTable } from '../publish/write-table.js';

/** Writes ledger_entries and closing_positions into the generation's folder. */
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
