import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { generationFolder } from './settings.js';

/** Number of rows that a typical wallet on the Cosmos Hub has in a year. */
const USUAL_ROWS = 11;

export interface Wallet {
  readonly address: string;
  readonly rows: number;
  /** Time of the wallet's first row, YYYY-MM-DD HH:MM:SS. `later_rows` counts the rows after this time. */
  readonly first: string;
  readonly later_rows: number;
  readonly transfer: string | null;
}

export async function openEvents(dataDir: string): Promise<Database> {
  const folder = generationFolder(dataDir);
  const database = await Database.open(join(dataDir, 'wallets-spill'));
  for (const table of ['priced_events', 'flagged_receipts']) {
    await database.attach(table, tableFiles(folder, readManifest(folder), table));
  }
  return database;
}

/** Returns all wallets without open decisions, a typical wallet with a transfer, and the wallet with the most rows. */
export async function chooseWallets(dataDir: string): Promise<{ all: Wallet[]; usual: Wallet; largest: Wallet }> {
  const database = await openEvents(dataDir);
  const all = await database.all<Wallet>(readFileSync(join(projectRoot(), 'scripts/bench/wallet_sizes.sql'), 'utf8'));
  database.close();
  const usual = all.find(({ rows, transfer }) => rows >= USUAL_ROWS && transfer !== null);
  if (!usual) throw new Error(`no wallet of the recording has ${USUAL_ROWS} rows and a transfer`);
  return { all, usual, largest: all.at(-1)! };
}
