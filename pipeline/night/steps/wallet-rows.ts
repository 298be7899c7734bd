import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { buildOpenLayer, planIndex } from '../../publish/build-wallet-index.js';
import { filesOfMonth } from '../../publish/generation.js';
import { ensureBaseLayers } from '../../publish/place-wallet-index.js';
import { writeOpeningLines } from '../../publish/wallet-batches.js';
import type { Artifacts, SpanMonth } from '../artifacts.js';
import { type ComingPiece, startPieces } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { linkTable } from '../pieces.js';

/** Replays wallets month by month. Skips months if neither their rows nor earlier months have changed. */
export async function replayWallets(
  { start, span: { months }, priced_events }: Pick<Artifacts, 'start' | 'span' | 'priced_events' | 'holdings'>,
  context: StepContext,
) {
  const { database, folder, reference } = context;
  const opening = start && `${folder}-opening.txt`;
  if (opening) await writeOpeningLines(database, opening);
  const { assets, categories, tags, chain } = reference;
  const openingHash = opening ? await fileSha256(opening) : null;
  const last = months.at(-1);
  const plan = (month: SpanMonth, earlier: readonly ComingPiece[]) => {
    const files = filesOfMonth(priced_events, month.month);
    const before = earlier.at(-1);
    const monthInputs = { month: month.month, hasOpening: start !== undefined, keepsStates: month !== last };
    return {
      inputs: {
        ...monthInputs,
        rows: files.map(({ sha256 }) => sha256),
        before: before?.key ?? null,
        opening: before ? null : openingHash,
      },
      after: before ? [before] : [],
      rows: files.reduce((sum, { rows }) => sum + rows, 0),
      job: (piece: string) => ({
        ...monthInputs,
        folder: piece,
        month,
        events: files.map(({ path }) => join(folder, path)),
        ...(before ? { before: before.folder } : opening && { opening }),
      }),
    };
  };
  const { pieces, all } = await startPieces(context, 'replay', [chain, assets, categories, tags], months, plan);
  const replayed = all.finally(() => opening && rmSync(opening, { force: true }));
  const folders = pieces.map((piece) => piece.folder);
  return {
    replayed: pieces,
    ledger_entries: replayed.then(() => linkTable('ledger_entries', folders, folder)),
    closing_positions: replayed.then(() => linkTable('closing_positions', folders.slice(-1), folder)),
  };
}

type Inputs = 'start' | 'span' | 'priced_events' | 'flagged_receipts' | 'other_tables';

/** Builds the open layer of the wallet index. Also builds the base layers that earlier runs have not built. */
export async function buildIndex(
  { start, span, priced_events, flagged_receipts, other_tables }: Pick<Artifacts, Inputs>,
  { config, folder, indexFolder, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'wallet_index'>> {
  const coverage = { first_height: span.first, starting_height: start?.height ?? null };
  const manifest = { tables: [priced_events, flagged_receipts, ...other_tables], coverage };
  const plan = await planIndex({ folder, manifest, reference }, `${indexFolder}-spill`);
  const base = await ensureBaseLayers(config.dataDir, plan);
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
