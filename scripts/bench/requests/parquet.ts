/** The benchmark of a wallet's default answer without the wallet index: it is made from the published Parquet each time. */
import { gzipSync } from 'node:zlib';
import type { Database } from '../../../pipeline/duckdb/database.js';
import { loadReference } from '../../../pipeline/reference.js';
import { storedEventList } from '../../../pipeline/reports/event-list.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { median } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { openEvents, readSql } from './wallets.js';

async function walletEvents(database: Database, address: string): Promise<PricedEvent[]> {
  const events: PricedEvent[] = [];
  for await (const rows of database.rows<PricedEvent>('priced_events', readSql('wallet_events'), { address })) {
    events.push(...rows);
  }
  return events;
}

/** Measures answers a second, by the clock. */
export async function measureParquet(settings: Settings, dataDir: string, address: string): Promise<Measure> {
  const context = { ...loadReference(), monikerOf: () => '' };
  const database = await openEvents(dataDir);
  const times: number[] = [];
  for (let round = 0; round < settings.rounds * 5; round++) {
    const start = performance.now();
    gzipSync(storedEventList(await walletEvents(database, address), context));
    times.push((performance.now() - start) / 1000);
  }
  database.close();
  return { what: 'default events by DuckDB on the Parquet', figure: 1 / median(times), unit: 'answers/s' };
}
