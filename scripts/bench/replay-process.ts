/**
 * Measures, in a separate process, several replays of all wallets in memory. Arguments: <folder of the generation>
 * <number of replays> <folder for temporary files>.
 */
import { join } from 'node:path';
import { Database } from '../../pipeline/base/duckdb/database.js';
import { noDecisions } from '../../pipeline/books/ledger/decisions.js';
import { replayWallet, WalletState } from '../../pipeline/books/ledger/replay.js';
import { USUAL } from '../../pipeline/books/terms.js';
import { attachOpeningHoldings } from '../../pipeline/publish/derived-tables.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { eventBatches } from '../../pipeline/publish/wallet-batches.js';
import { eventsOf, parseOpening } from '../../pipeline/publish/wallet-index/events-format.js';
import { loadReference } from '../../pipeline/reference.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { reportWork } from './measured.js';

const [folder, times, workDir] = process.argv.slice(2) as [string, string, string];
const eventLines = join(workDir, `rows-${process.pid}.txt`);
const reference = loadReference();

interface MeasuredWallet {
  readonly opening: ReadonlyMap<string, bigint>;
  readonly events: PricedEvent[];
}

async function readWallets(): Promise<MeasuredWallet[]> {
  const database = await Database.open(`${eventLines}-spill`);
  const manifest = readManifest(folder);
  await database.attach('priced_events', tableFiles(folder, manifest, 'priced_events'));
  await attachOpeningHoldings(database, folder, manifest, reference);
  const wallets = new Map<string, MeasuredWallet>();
  for await (const { address, opening, rows } of eventBatches(database, eventLines)) {
    const events = eventsOf(address, rows);
    const known = wallets.get(address);
    if (known) known.events.push(...events);
    else wallets.set(address, { opening: parseOpening(opening), events });
  }
  database.close();
  return [...wallets.values()];
}

const wallets = await readWallets();
await reportWork(async () => {
  let events = 0;
  for (let round = 0; round < Number(times); round++) {
    for (const { opening, events: rows } of wallets) {
      for (const _ of replayWallet(rows, noDecisions, new WalletState({ ...USUAL, rules: reference.rules, opening })));
      events += rows.length;
    }
  }
  return events;
});
