import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { buildOpenLayer, planIndex } from '../../publish/build-wallet-index.js';
import { filesOfMonth } from '../../publish/generation.js';
import { ensureBaseLayer } from '../../publish/place-wallet-index.js';
import { writeOpeningLines } from '../../publish/wallet-batches.js';
import type { Artifacts } from '../artifacts.js';
import { type ReplayJob, replayMonth } from '../jobs/replay/replay-month.js';
import { runJobs } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { linkTable, type Piece } from '../pieces.js';

const REPLAY_WORKER = new URL('../jobs/replay/replay-worker.js', import.meta.url);

/** Replays month after month. Only months whose rows, or whose months before, have changed are replayed. */
export async function replayWallets(
  { start, span: { months }, priced_events }: Pick<Artifacts, 'start' | 'span' | 'priced_events' | 'holdings'>,
  { database, folder, options, pieces, reference, signal }: StepContext,
): Promise<Pick<Artifacts, 'replayed' | 'ledger_entries' | 'closing_positions'>> {
  const opening = start && `${folder}-opening.txt`;
  if (opening) await writeOpeningLines(database, opening);
  try {
    const { assets, categories, tags, chain } = reference;
    const program = cacheKey([fileURLToPath(REPLAY_WORKER)], [chain, assets, categories, tags]);
    const jobs: ReplayJob[] = [];
    const replayed: Piece[] = [];
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
      replayed.push(piece);
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
    const folders = replayed.map((piece) => piece.folder);
    return {
      replayed,
      ledger_entries: linkTable('ledger_entries', folders, folder),
      closing_positions: linkTable('closing_positions', folders.slice(-1), folder),
    };
  } finally {
    if (opening) rmSync(opening, { force: true });
  }
}

type Inputs = 'start' | 'span' | 'priced_events' | 'flagged_receipts' | 'other_tables';

/** Builds the open layer of the index, and its base layer unless an earlier run has built it. */
export async function buildIndex(
  { start, span, priced_events, flagged_receipts, other_tables }: Pick<Artifacts, Inputs>,
  { config, folder, indexFolder, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'wallet_index'>> {
  const coverage = { first_height: span.first, starting_height: start?.height ?? null };
  const manifest = { tables: [priced_events, flagged_receipts, ...other_tables], coverage };
  const plan = await planIndex({ folder, manifest, reference }, `${indexFolder}-spill`);
  const base = await ensureBaseLayer(config.dataDir, plan);
  const files = filesOfMonth(priced_events, span.months.at(-1)!.month);
  const total = files.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const onRows = (rows: number) => {
    done += rows;
    progress.update(done, total);
  };
  await buildOpenLayer(plan, indexFolder, base, { onRows });
  return { wallet_index: indexFolder };
}
