/**
 * Computes daily holdings month by month, and keeps the files of closed months' holdings as pieces. So a nightly run
 * computes and writes only the rows of months that are still open.
 */
import { basename, join } from 'node:path';
import { readSums } from '../../base/disk/sealed-folder.js';
import { type Database, literal } from '../../base/duckdb/database.js';
import { writeTableOfMonth } from '../../base/duckdb/table-file.js';
import { MONTHLY_HOLDINGS } from '../../publish/run-audits.js';
import type { ClassifiedRanges, FoldedHoldings, Span, SpanMonth } from '../artifacts.js';
import { noteTables, type Piece, type Pieces } from '../pieces.js';

interface Inputs {
  readonly database: Database;
  readonly pieces: Pieces;
  /** Hash of the code that makes the tables of holdings. */
  readonly program: string;
  readonly span: Span;
  readonly classified: ClassifiedRanges;
  readonly folded: FoldedHoldings;
  readonly native: string;
  /** Height after which holdings are first known. */
  readonly opening: number;
  /** Keys of the pieces with the rewards of closed months. */
  readonly rewards: ReadonlyMap<string, string>;
}

/**
 * Creates the view daily_holdings with the rows of open months. The other tables of holdings must exist.
 * @returns a piece for each closed month, with the month's files
 */
export async function makeHoldingsMonths({ database, pieces, ...inputs }: Inputs): Promise<Piece[]> {
  const { program, span, folded, native } = inputs;
  const parts = finalParts(folded);
  const closed: Piece[] = [];
  let attachLiquid = () =>
    database.execute(`create or replace view earlier_liquid as from opening_balances where denom = ${literal(native)}`);
  await database.create('daily_holdings', 'open_holdings');
  for (const month of span.months) {
    const { first, last } = month;
    const compute = async () => {
      await attachLiquid();
      await database.run('tables/daily_holdings', { native, first, last });
    };
    if (month !== span.months.at(-1) && last <= (parts.at(-1)?.to ?? 0)) {
      const key = { program, ...inputsOf(month, inputs, parts), before: closed.at(-1)?.key ?? before(inputs) };
      const piece = await pieces.make('holdings-months', key, async (folder) => {
        await compute();
        await database.execute('create or replace view daily_holdings as from month_holdings');
        await writeMonth(database, month, folder);
      });
      closed.push(piece);
      attachLiquid = () => database.attach('opening_balances', [liquidFile(piece)], 'earlier_liquid');
    } else {
      await compute();
      await database.execute('insert into open_holdings by name from month_holdings');
      await database.execute('create or replace table open_liquid as from month_liquid');
      attachLiquid = () => database.execute('create or replace view earlier_liquid as from open_liquid');
    }
  }
  await database.execute('create or replace view daily_holdings as from open_holdings');
  return closed;
}

const liquidFile = ({ folder }: Pick<Piece, 'folder'>): string => join(folder, 'liquid.parquet');

async function writeMonth(database: Database, month: SpanMonth, folder: string): Promise<void> {
  const tables = [];
  for (const table of MONTHLY_HOLDINGS) tables.push(await writeTableOfMonth(database, table, folder, month));
  noteTables(folder, tables);
  await database.keepSorted('month_liquid', liquidFile({ folder }));
}

interface Part {
  readonly from: number;
  readonly to: number;
  readonly folder: string;
}

/** Returns the folders of the fold whose rows are final. */
const finalParts = ({ folders }: FoldedHoldings): Part[] =>
  folders.flatMap((folder) => {
    const [from, to] = basename(folder).split('-').map(Number);
    return Number.isInteger(from) && Number.isInteger(to) ? [{ from: from!, to: to!, folder }] : [];
  });

/**
 * Returns everything that the rows of a month follow from, besides the months before it. A part of the fold may begin in
 * one month and end in the next.
 */
const inputsOf = (
  { month, first, last, content }: SpanMonth,
  { classified, rewards }: Pick<Inputs, 'classified' | 'rewards'>,
  parts: readonly Part[],
) => ({
  month: { month, first, last, content },
  classified: classified.key,
  parts: parts.filter(({ from, to }) => from <= last && to >= first).map(({ folder }) => hashesOf(folder)),
  rewards: rewards.get(month) ?? null,
});

/** Returns everything that the rows before the first month follow from. */
const before = ({ span, opening, classified, folded }: Omit<Inputs, 'database' | 'pieces'>) => ({
  first: span.first,
  opening,
  earlier: classified.earlier.map(hashesOf),
  folded: [
    folded.folders[0]!,
    ...finalParts(folded).flatMap(({ from, folder }) => (from < span.first ? [folder] : [])),
  ].map(hashesOf),
});

/** Returns the hashes of a folder's tables. Other files, such as checkpoints, may be removed later. */
const hashesOf = (folder: string): string[] =>
  Object.entries(readSums(folder) ?? {}).flatMap(([name, { sha256 }]) => (name.endsWith('.parquet') ? [sha256] : []));
