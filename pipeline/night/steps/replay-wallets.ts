/**
 * Replays wallets month by month. Each month continues from the states of wallets at the end of the month before.
 *
 * A month has two pieces. `books` has its journal entries and closing positions. `replay` has the same and the states of
 * wallets. States would need several times the space of the dataset, because each of them grows with its
 * wallet. So a run keeps only the states of the last two closed months. If an earlier month changes, the run replays
 * the months before it again, from the last month with states or from the first month.
 *
 * The last month of a quarter keeps the states of all wallets, and other months only those that have changed since.
 * A wallet at rest is written four times a year, and a state is looked for in at most three files.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileSha256, linkOrCopy } from '../../base/disk/atomic-files.js';
import { readSums } from '../../base/disk/sealed-folder.js';
import { filesOfMonth } from '../../publish/generation.js';
import { writeOpeningLines } from '../../publish/wallet-batches.js';
import type { Artifacts } from '../artifacts.js';
import { positionsFile, type ReplayJob, statesFile } from '../jobs/replay/replay-month.js';
import { type ComingPiece, programKey, type RunOptions, startMaking } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { linkTable, type Piece, writePiece } from '../pieces.js';

const QUARTER_MONTHS = 3;

interface PlannedMonth {
  readonly job: Omit<ReplayJob, 'folder' | 'before'>;
  readonly inputs: object;
  readonly rows: number;
  readonly books: ComingPiece;
  /** Undefined if this run reads no states of the month, or reads them no longer. */
  replay?: Piece | undefined;
}

type ToReplay = 'start' | 'span' | 'priced_events' | 'holdings';

export async function replayWallets(artifacts: Pick<Artifacts, ToReplay>, context: StepContext) {
  const { database, folder } = context;
  const opening = artifacts.start && `${folder}-opening.txt`;
  if (opening) await writeOpeningLines(database, opening);
  const months = await planMonths(artifacts, context, opening);
  await findReplays(context, months);
  const replayed = startReplays(context, months).finally(() => opening && rmSync(opening, { force: true }));
  const books = months.map((month) => month.books);
  const folders = books.map((piece) => piece.folder);
  return {
    replayed: books,
    ledger_entries: replayed.then(() => linkTable('ledger_entries', folders, folder)),
    closing_positions: replayed.then(() => linkTable('closing_positions', folders.slice(-1), folder)),
  };
}

const isEndOfQuarter = (month: string) => Number(month.slice(5)) % QUARTER_MONTHS === 0;

/** @param opening file of opening holdings, if the dataset has a starting state */
async function planMonths(
  { span, priced_events }: Pick<Artifacts, ToReplay>,
  { folder, pieces, reference }: StepContext,
  opening: string | undefined,
): Promise<PlannedMonth[]> {
  const { assets, categories, tags, chain } = reference;
  const program = programKey('replay', [chain, assets, categories, tags]);
  const openingHash = opening ? await fileSha256(opening) : null;
  const planned: PlannedMonth[] = [];
  for (const month of span.months) {
    const keeps = month === span.months.at(-1) ? 'none' : isEndOfQuarter(month.month) ? 'all' : 'changed';
    const files = filesOfMonth(priced_events, month.month);
    const hasOpening = opening !== undefined;
    const before = planned.at(-1)?.books;
    const inputs = {
      ...{ program, month: month.month, hasOpening, keeps },
      rows: files.map(({ sha256 }) => sha256),
      before: before?.key ?? null,
      opening: before ? null : openingHash,
    };
    const events = files.map(({ path }) => join(folder, path));
    const job = { month, hasOpening, keeps, events, ...(!before && opening && { opening }) } as const;
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const books = { ...(await pieces.find('books', inputs)), made: Promise.resolve() };
    planned.push({ job, inputs, rows, books });
  }
  return planned;
}

/** Returns the months whose replays have the states at the end of a month, the oldest first. */
function monthsWithStates(months: readonly PlannedMonth[], end: number): readonly PlannedMonth[] {
  const start = months.findLastIndex(({ job }, i) => i <= end && job.keeps === 'all');
  return months.slice(Math.max(start, 0), Math.max(end + 1, 0));
}

/** Returns the months whose replays stay. The last month is open and has no states. */
const lastingMonths = (months: readonly PlannedMonth[]): ReadonlySet<PlannedMonth> =>
  new Set([2, 3].flatMap((back) => monthsWithStates(months, months.length - back)));

/** Finds the replays that this run needs: those of months without books, and those whose states a missing one reads. */
async function findReplays({ pieces }: StepContext, months: readonly PlannedMonth[]): Promise<void> {
  const needed = new Set(months.filter(({ books }) => !books.isThere));
  const lasting = lastingMonths(months);
  for (const [i, month] of [...months.entries()].reverse()) {
    if (needed.has(month)) {
      month.replay = await pieces.find('replay', month.inputs);
      if (!month.replay.isThere) for (const earlier of monthsWithStates(months, i - 1)) needed.add(earlier);
    } else if (lasting.has(month)) await pieces.keep('replay', month.inputs);
  }
}

/** Starts jobs for missing replays, one after the other. @returns a promise that waits until all have ended */
function startReplays(context: StepContext, months: readonly PlannedMonth[]): Promise<void> {
  const { executor, pieces } = context;
  const lasting = lastingMonths(months);
  const makers = [...months.entries()].flatMap(([i, { job, rows, books, replay }]) => {
    if (!replay || (replay.isThere && books.isThere)) return [];
    const previous = months[i - 1]?.books;
    const make = async (options: RunOptions) => {
      await Promise.all(months.slice(0, i).map((earlier) => earlier.books.made));
      if (!replay.isThere) {
        const states = monthsWithStates(months, i - 1).map((month) => statesFile(month.replay!.folder));
        const before = previous && { positions: positionsFile(previous.folder), states };
        await executor.run('replay', { ...job, folder: replay.folder, ...(before && { before }) }, options);
      }
      await writePiece(books.folder, async (making) => linkBooks(replay.folder, making));
      const next = i + 1 < months.length ? monthsWithStates(months, i) : [];
      for (const month of months.slice(0, i + 1)) {
        if (!month.replay || next.includes(month) || lasting.has(month)) continue;
        pieces.drop(month.replay);
        month.replay = undefined;
      }
    };
    return [{ piece: books, rows, make }];
  });
  return startMaking(context, makers);
}

function linkBooks(replay: string, books: string): void {
  for (const path of Object.keys(readSums(replay)!)) {
    if (path === statesFile('')) continue;
    mkdirSync(dirname(join(books, path)), { recursive: true });
    linkOrCopy(join(replay, path), join(books, path));
  }
}
