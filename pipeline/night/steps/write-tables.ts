import type { ManifestTable } from '../../../schemas/types.generated.js';
import { writeTable } from '../../base/duckdb/table-file.js';
import { makeReferenceTables } from '../../publish/derived-tables.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

const MONTHLY: ReadonlySet<string> = new Set([
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'daily_holdings',
]);

/** Writes the tables that do not follow from one month's blocks alone. */
export async function writeTables(
  {
    span,
    folded,
    holdings,
    month_tables,
  }: Pick<Artifacts, 'span' | 'folded' | 'facts' | 'figures' | 'prices' | 'holdings' | 'month_tables'>,
  { database, folder, reference }: StepContext,
): Promise<Pick<Artifacts, 'other_tables'>> {
  await makeReferenceTables(database, reference);
  await database.run('tables/validators', { last: folded?.until ?? span.last });
  const written: ManifestTable[] = [...month_tables];
  for (const table of ['assets', 'categories', 'prices', 'validators', ...holdings]) {
    written.push(await writeTable(database, table, folder, MONTHLY.has(table) ? span.months : undefined));
  }
  return { other_tables: written };
}
