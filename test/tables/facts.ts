/** Collects the facts of classified rows, as a nightly run does. Tables that the test has not created are empty. */
import type { Database } from '../../pipeline/base/duckdb/database.js';
import { RANGE_TABLES } from '../../pipeline/night/jobs/classified-rows.js';
import { FACTS } from '../../pipeline/night/steps/join-holdings.js';

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
  await database.run('tables/month_facts', { month: '2026-01', long: 65 });
  for (const table of FACTS) await database.accumulate(`month_${table}`, [], table);
}
