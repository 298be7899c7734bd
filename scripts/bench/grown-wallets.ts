/**
 * Adds wallets with many rows for the benchmark. Their rows are copies of one wallet's rows, and exist only in the
 * wallet index.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bech32 } from '@scure/base';
import { unfinished } from '../../pipeline/base/disk/atomic-files.js';
import { WalletIndexWriter } from '../../pipeline/publish/build-wallet-index.js';
import { createNoOpeningHoldings } from '../../pipeline/publish/derived-tables.js';
import { walletIndexDir } from '../../pipeline/publish/generation.js';
import { eventBatches } from '../../pipeline/publish/wallet-batches.js';
import { LAYERS_FILE } from '../../pipeline/publish/wallet-index/open-index.js';
import { placeIndexFolder } from '../../pipeline/publish/wallet-index-key.js';
import { loadReference } from '../../pipeline/reference.js';
import { generationFolder, type Settings } from './settings.js';
import { openEvents, type Wallet } from './wallets.js';

/**
 * Positions of the members that differ between copies of a serialised row
 * (pipeline/publish/wallet-index/events-format.ts).
 */
const [POSITION, ID, LINK] = [1, 2, 14];

const addressOf = (size: number) => bech32.encode('cosmos', bech32.toWords(Buffer.alloc(20, `wallet ${size}`)));

/**
 * Repeats each row until there are enough rows. Copies of a row are next to each other, so the rows stay in chain
 * order.
 */
export function grow(stored: readonly string[], rows: number): string[] {
  const copies = Math.ceil(rows / stored.length);
  return stored
    .flatMap((row) => {
      const members: (number | string | null)[] = JSON.parse(row);
      return Array.from({ length: copies }, (_, copy) => {
        const copied = [...members];
        copied[POSITION] = Number(members[POSITION]) * copies + copy;
        copied[ID] = `${members[ID]}/${copy}`;
        if (members[LINK] !== null) copied[LINK] = `${members[LINK]}/${copy}`;
        return JSON.stringify(copied);
      });
    })
    .slice(0, rows);
}

async function serialisedRows({ workDir }: Settings, dataDir: string, { address }: Wallet): Promise<string[]> {
  const database = await openEvents(dataDir);
  await createNoOpeningHoldings(database);
  const found: string[] = [];
  for await (const batch of eventBatches(database, join(workDir, 'rows.txt'))) {
    if (batch.address === address) found.push(...batch.rows);
  }
  database.close();
  return found;
}

/**
 * Adds one wallet for each size. No server may have opened the dataset.
 * @returns the addresses of the new wallets
 */
export async function addGrownWallets(
  settings: Settings,
  dataDir: string,
  source: Wallet,
  sizes: readonly number[],
): Promise<string[]> {
  const rows = await serialisedRows(settings, dataDir, source);
  await placeGrown(dataDir, rows, sizes);
  return sizes.map(addressOf);
}

/**
 * Replaces the wallet index by a copy that contains the new wallets. The old index is sealed, so it must not be
 * changed.
 */
export async function placeGrown(dataDir: string, rows: readonly string[], sizes: readonly number[]): Promise<void> {
  const generation = basename(generationFolder(dataDir));
  const reference = loadReference();
  const index = walletIndexDir(dataDir, generation);
  const folder = unfinished(index, 'wallet-index');
  mkdirSync(folder);
  for (const file of ['data.mdb', LAYERS_FILE]) {
    if (existsSync(join(index, file))) copyFileSync(join(index, file), join(folder, file));
  }
  const writer = new WalletIndexWriter(folder);
  for (const size of sizes) writer.add({ address: addressOf(size), rows: grow(rows, size), last: true });
  await writer.close();
  await placeIndexFolder(dataDir, generation, reference, folder);
}
