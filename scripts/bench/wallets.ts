/** The wallets that requests are measured with, and what the same answer costs without the wallet store. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Database } from '../../pipeline/duckdb/database.js';
import { projectRoot } from '../../pipeline/project.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { loadReference } from '../../pipeline/reference.js';
import { coverageOf } from '../../pipeline/reports/coverage.js';
import { eventListBody } from '../../pipeline/reports/event-list.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { median, workOf } from './measured.js';
import { generationFolder, type Measure, type Settings } from './settings.js';

const REPLAY = new URL('./replay-process.js', import.meta.url);
/** Rows of the wallet that counts as small: the usual number of a wallet's rows in a year of the Hub. */
const SMALL = 11;

const readSql = (name: string) => readFileSync(join(projectRoot(), `scripts/bench/${name}.sql`), 'utf8');

export interface Wallet {
  readonly address: string;
  readonly rows: number;
  /** Hash of one of its transfers, or null. */
  readonly transfer: string | null;
}

async function openEvents(dataDir: string): Promise<Database> {
  const folder = generationFolder(dataDir);
  const database = await Database.open();
  for (const table of ['priced_events', 'flagged_receipts']) {
    await database.attach(table, tableFiles(folder, readManifest(folder), table));
  }
  return database;
}

async function walletEvents(database: Database, address: string): Promise<PricedEvent[]> {
  const events: PricedEvent[] = [];
  for await (const rows of database.rows<PricedEvent>('priced_events', readSql('wallet_events'), { address })) {
    events.push(...rows);
  }
  return events;
}

/** The wallet with the most rows, and one of about eleven that has a transfer. */
export async function chooseWallets(dataDir: string): Promise<{ small: Wallet; largest: Wallet }> {
  const database = await openEvents(dataDir);
  const wallets = await database.all<Wallet>(readSql('wallet_sizes'));
  database.close();
  const small = wallets.find(({ rows, transfer }) => rows >= SMALL && transfer !== null);
  if (!small) throw new Error(`no wallet of the recording has ${SMALL} rows and a transfer`);
  return { small, largest: wallets.at(-1)! };
}

/** The default answer of a wallet, made from the published Parquet each time. */
export async function measureParquet(settings: Settings, dataDir: string, address: string): Promise<Measure> {
  const context = { ...loadReference(), monikerOf: () => '' };
  const coverage = coverageOf(readManifest(generationFolder(dataDir)));
  const database = await openEvents(dataDir);
  const times: number[] = [];
  for (let round = 0; round < settings.rounds * 5; round++) {
    const start = performance.now();
    gzipSync(eventListBody(address, await walletEvents(database, address), context, coverage));
    times.push((performance.now() - start) / 1000);
  }
  database.close();
  return { what: 'default events by DuckDB on the Parquet', figure: 1 / median(times), unit: 'answers/s' };
}

/** Events a second through the replay, everything in memory. */
export async function measureReplay(settings: Settings, dataDir: string): Promise<Measure> {
  const speeds: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    const { count, milliseconds } = await workOf(REPLAY, generationFolder(dataDir), '20', settings.workDir);
    speeds.push((count / milliseconds) * 1000);
  }
  return { what: 'replay', figure: median(speeds), unit: 'events/s' };
}
