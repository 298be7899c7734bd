import { join } from 'node:path';
import type { ManifestTable } from '../../../schemas/types.generated.js';
import { describeTable, writeTable } from '../../base/duckdb/table-file.js';
import { makeReferenceTables } from '../../publish/derived-tables.js';
import { MISSING_PRICES } from '../../publish/losses.js';
import { MONTHLY_HOLDINGS } from '../../publish/run-audits.js';
import type { Artifacts, Span } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { linkTable } from '../pieces.js';

const MONTHLY: ReadonlySet<string> = new Set(MONTHLY_HOLDINGS);

type Inputs =
  | 'span'
  | 'folded'
  | 'facts'
  | 'figures'
  | 'prices'
  | 'exchange_rates'
  | 'holdings'
  | 'closed_holdings'
  | 'month_tables';

/** Writes the tables that need more than one month's blocks. */
export async function writeTables(
  { span, folded, holdings, closed_holdings, month_tables }: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, 'other_tables'>> {
  const { database, folder, reference } = context;
  await makeReferenceTables(database, reference);
  await database.run('tables/validators', { last: folded?.until ?? span.last });
  const written: ManifestTable[] = [...month_tables];
  const open = span.months.slice(closed_holdings.length);
  const closed = closed_holdings.map((piece) => piece.folder);
  for (const table of ['assets', 'categories', 'prices', 'exchange_rates', 'validators', ...holdings]) {
    if (!MONTHLY.has(table)) written.push(await writeTable(database, table, folder));
    else written.push(joined(await writeTable(database, table, folder, open), linkTable(table, closed, folder)));
  }
  written[written.findIndex(({ name }) => name === 'prices')] = await addMissingPrices(span, context);
  return { other_tables: written };
}

/** Merges two manifest entries of one table with different files. */
const joined = (one: ManifestTable, other: ManifestTable): ManifestTable => ({
  ...one,
  rows: one.rows + other.rows,
  files: [...one.files, ...other.files].sort((a, b) => (a.path < b.path ? -1 : 1)),
});

/** Writes the days without a price to a separate file, because prices that are found later remove rows from it. */
async function addMissingPrices(
  { firstTime, lastTime }: Span,
  { database, folder, reference }: StepContext,
): Promise<ManifestTable> {
  await database.run('tables/missing_prices', {
    denoms: reference.assets.map(({ denom }) => denom),
    methodology: reference.methodology.version,
    first: firstTime.slice(0, 10),
    last: lastTime.slice(0, 10),
    path: join(folder, MISSING_PRICES),
  });
  return describeTable(database, 'prices', folder);
}
