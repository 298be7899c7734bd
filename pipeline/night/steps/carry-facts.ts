/**
 * Carries facts from month to month. Later months or the whole dataset need these facts. The piece of a month contains
 * the facts of all months up to it. So a nightly run reads only the last closed month's piece and the rows of the open
 * month.
 */
import { join } from 'node:path';
import type { Database, Parameters } from '../../base/duckdb/database.js';
import type { SpanMonth } from '../artifacts.js';
import type { Piece, Pieces } from '../pieces.js';

export interface Facts {
  readonly step: string;
  /** Hash of the code and the reviewed data that determine the facts. */
  readonly program: string;
  /** Names of the tables with facts. The SQL files create each table as `month_<name>`. */
  readonly tables: readonly string[];
  /** Like `tables`, but a piece contains only the rows of its own month. */
  readonly monthly?: readonly string[];
  readonly sql: readonly string[];
  readonly parameters: Parameters;
  /** Returns the hashes of a month's rows. */
  readonly rowsOf: (month: SpanMonth) => unknown;
  /** Creates database views of a month's rows. */
  readonly attach: (month: SpanMonth) => Promise<void>;
}

/**
 * Creates a database view of each table, with the facts of all months.
 * @returns the pieces of the closed months
 */
export async function carryFacts(
  database: Database,
  pieces: Pieces,
  months: readonly SpanMonth[],
  { step, program, tables, monthly = [], sql, parameters, rowsOf, attach }: Facts,
): Promise<Piece[]> {
  const collect = async (month: SpanMonth, before: Piece | undefined) => {
    await attach(month);
    for (const file of sql)
      await database.run(file, { ...parameters, month: month.month, first: month.first, last: month.last });
    for (const table of tables) {
      await database.accumulate(`month_${table}`, before ? [factsFile(before, table)] : [], table);
    }
  };
  const closed: Piece[] = [];
  for (const month of months.slice(0, -1)) {
    const before = closed.at(-1);
    const inputs = { program, month, rows: rowsOf(month), before: before?.key ?? null };
    const piece = await pieces.make(step, inputs, async (folder) => {
      await collect(month, before);
      for (const table of tables) await database.keepSorted(table, factsFile({ folder }, table));
      for (const table of monthly) await database.keepSorted(`month_${table}`, factsFile({ folder }, table));
    });
    closed.push(piece);
  }
  await collect(months.at(-1)!, closed.at(-1));
  return closed;
}

export const factsFile = ({ folder }: Pick<Piece, 'folder'>, table: string): string => join(folder, `${table}.parquet`);
