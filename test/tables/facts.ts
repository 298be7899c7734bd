/** Collects the facts of classified rows, as a nightly run does. Tables that the test has not created are empty. */
import type { Database } from '../../pipeline/base/duckdb/database.js';
import type { ClassifiedRanges } from '../../pipeline/night/artifacts.js';
import { RANGE_TABLES } from '../../pipeline/night/jobs/classified-rows.js';
import { classifiedFacts } from '../../pipeline/night/steps/join-holdings.js';
import { loadReference } from '../../pipeline/reference.js';

const NAMES: Readonly<Record<string, string>> = {
  chain_events: 'classified_events',
  coin_movements: 'classified_movements',
  supply_changes: 'classified_supply_changes',
};

export async function collectFacts(database: Database): Promise<void> {
  for (const table of RANGE_TABLES) {
    const name = NAMES[table] ?? table;
    const [there] = await database.all('from duckdb_tables() where table_name = $name', { name });
    if (!there) await database.create(table, name);
  }
  const ranges = { indexed: [], key: '' } as unknown as ClassifiedRanges;
  const { tables, sql, parameters } = classifiedFacts(database, ranges, loadReference());
  for (const name of sql) await database.run(name, { ...parameters, month: '2026-01' });
  for (const table of tables) await database.accumulate(`month_${table}`, [], table);
}
