/**
 * Carries facts from month to month. Later months or the whole dataset need these facts. The piece of a month contains
 * the facts of all months up to it. So a nightly run reads only the last closed month's piece and the rows of the open
 * month. It keeps the pieces of the last two closed months, because the pieces of all months would repeat each fact.
 */
import { join } from 'node:path';
import type { Database, Parameters } from '../../base/duckdb/database.js';
import type { SpanMonth } from '../artifacts.js';
import { type Piece, type Pieces, pieceKey, writePiece } from '../pieces.js';

export interface Facts {
  readonly step: string;
  /** Hash of the code and the reviewed data that determine the facts. */
  readonly program: string;
  /** Names of the tables with facts. The SQL files create each table as `month_<name>`. */
  readonly tables: readonly string[];
  /** A table that is not carried: each month has its own piece with its own rows. */
  readonly monthly?: string;
  readonly sql: readonly string[];
  readonly parameters: Parameters;
  /** Returns the hashes of a month's rows. */
  readonly rowsOf: (month: SpanMonth) => unknown;
  /** Creates database views of a month's rows. */
  readonly attach: (month: SpanMonth) => Promise<void>;
}

/** Number of closed months whose pieces stay. If the last month changes, its facts are made from the one before it. */
const KEPT_MONTHS = 2;

/**
 * Creates a database view of each table, with the facts of all months.
 * @returns the pieces with the monthly table of each closed month
 */
export async function carryFacts(
  database: Database,
  pieces: Pieces,
  months: readonly SpanMonth[],
  facts: Facts,
): Promise<Piece[]> {
  const { step, program, tables, monthly, rowsOf } = facts;
  const closed = months.slice(0, -1);
  const inputs: object[] = [];
  const ofMonths: Piece[] = [];
  for (const month of closed) {
    const own = { program, month, rows: rowsOf(month) };
    if (monthly) ofMonths.push(await pieces.find(monthly, own));
    const before = inputs.at(-1);
    inputs.push({ ...own, before: before ? pieceKey(before) : null });
  }
  const carried = await findLast(pieces, step, inputs);
  for (const [i, month] of closed.entries()) {
    const [piece, ofMonth] = [carried[i], ofMonths[i]];
    const isMissing = piece?.isThere === false;
    if (!isMissing && ofMonth?.isThere !== false) continue;
    await factsOfMonth(database, month, facts);
    if (ofMonth?.isThere === false) await keepTables(database, ofMonth, [[`month_${monthly}`, monthly!]]);
    if (!isMissing) continue;
    await accumulate(database, tables, carried[i - 1]);
    await keepTables(
      database,
      piece,
      tables.map((table) => [table, table]),
    );
    const earlier = carried[i - 1];
    if (earlier && i - 1 < closed.length - KEPT_MONTHS) pieces.drop(earlier);
  }
  await factsOfMonth(database, months.at(-1)!, facts);
  await accumulate(database, tables, carried.at(-1));
  return ofMonths;
}

/** Returns the last months' pieces that are missing, and the one that they continue from; undefined for months before. */
async function findLast(pieces: Pieces, step: string, inputs: readonly object[]): Promise<(Piece | undefined)[]> {
  const found: (Piece | undefined)[] = inputs.map(() => undefined);
  let i = inputs.length - 1;
  for (; i >= 0 && found[i + 1]?.isThere !== true; i--) found[i] = await pieces.find(step, inputs[i]);
  for (; i >= inputs.length - KEPT_MONTHS && i >= 0; i--) await pieces.keep(step, inputs[i]);
  return found;
}

async function factsOfMonth(database: Database, span: SpanMonth, { sql, parameters, attach }: Facts): Promise<void> {
  await attach(span);
  const { month, first, last } = span;
  for (const file of sql) await database.run(file, { ...parameters, month, first, last });
}

async function accumulate(database: Database, tables: readonly string[], before: Piece | undefined): Promise<void> {
  for (const table of tables) {
    await database.accumulate(`month_${table}`, before ? [factsFile(before, table)] : [], table);
  }
}

const keepTables = (
  database: Database,
  { folder }: Piece,
  tables: readonly (readonly [table: string, as: string])[],
): Promise<void> =>
  writePiece(folder, async (making) => {
    for (const [table, as] of tables) await database.keepSorted(table, factsFile({ folder: making }, as));
  });

export const factsFile = ({ folder }: Pick<Piece, 'folder'>, table: string): string => join(folder, `${table}.parquet`);
