import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { writeTable } from '../../base/duckdb/table-file.js';
import { buildWalletIndex } from '../../publish/build-wallet-index.js';
import { filesOfMonth } from '../../publish/generation.js';
import { eventLinesFile, writeEventLines, writeOpeningLines } from '../../publish/wallet-batches.js';
import type { Artifacts } from '../artifacts.js';
import { type ReplayedTables, type ReplayJob, replayedTables, replayMonth } from '../jobs/replay/replay-month.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { linkTable, type Piece } from '../pieces.js';

const REPLAY_WORKER = new URL('../jobs/replay/replay-worker.js', import.meta.url);

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

/** Replays month after month. Only months whose rows, or whose months before, have changed are replayed. */
export async function replayWallets(
  { start, span: { months }, priced_events }: Pick<Artifacts, 'start' | 'span' | 'priced_events' | 'holdings'>,
  { database, folder, options, pieces, reference, signal }: StepContext,
): Promise<Pick<Artifacts, 'ledger_entries' | 'closing_positions'>> {
  const opening = start && `${folder}-opening.txt`;
  if (opening) await writeOpeningLines(database, opening);
  try {
    const { assets, categories, tags, chain } = reference;
    const program = cacheKey([fileURLToPath(REPLAY_WORKER)], [chain, assets, categories, tags]);
    const jobs: ReplayJob[] = [];
    const replayed: string[] = [];
    let before: Piece | undefined;
    for (const [i, month] of months.entries()) {
      const files = filesOfMonth(priced_events, month.month);
      const isFirst = before === undefined;
      const keepsStates = i < months.length - 1;
      const inputs = {
        program,
        month: month.month,
        rows: files.map(({ sha256 }) => sha256),
        before: before?.key ?? null,
        opening: isFirst && opening ? await fileSha256(opening) : null,
        hasOpening: start !== undefined,
        keepsStates,
      };
      const piece = await pieces.find('replay', inputs);
      replayed.push(piece.folder);
      if (!piece.isThere) {
        jobs.push({
          folder: piece.folder,
          month,
          events: files.map(({ path }) => join(folder, path)),
          before: before?.folder,
          opening: isFirst ? opening : undefined,
          hasOpening: start !== undefined,
          keepsStates,
        });
      }
      before = piece;
    }
    await runJobs({ jobs, run: replayMonth, worker: REPLAY_WORKER, threads: Math.min(options.workers, 1), signal });
    const tables = replayed.map((path) => JSON.parse(readFileSync(replayedTables(path), 'utf8')) as ReplayedTables);
    const tableOf = (name: keyof ReplayedTables, places: readonly number[]) =>
      linkTable(
        name,
        places.map((i) => ({ folder: replayed[i]!, files: tables[i]![name].files })),
        folder,
      );
    return {
      ledger_entries: tableOf('ledger_entries', [...months.keys()]),
      closing_positions: tableOf('closing_positions', [months.length - 1]),
    };
  } finally {
    if (opening) rmSync(opening, { force: true });
  }
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
