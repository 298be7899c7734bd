/**
 * Wallets of as many rows as a benchmark needs, made of one that a dataset has and put into its wallet index alone. Each row comes as
 * often as it takes, one copy after the other, so that the rows stay in the chain's order.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unfinished } from '../../../pipeline/disk/atomic-files.js';
import { walletIndexDir } from '../../../pipeline/publish/generation.js';
import { createNoOpeningHoldings } from '../../../pipeline/publish/opening-holdings.js';
import { walletBatches, writeEventLines } from '../../../pipeline/publish/wallet-batches.js';
import { placeIndexFolder } from '../../../pipeline/publish/wallet-index-key.js';
import { WalletIndexWriter } from '../../../pipeline/publish/wallet-index-writer.js';
import { loadReference } from '../../../pipeline/reference.js';
import { account } from '../fold/generated-size.js';
import { generationFolder, type Settings } from '../settings.js';
import { openEvents, type Wallet } from './wallets.js';

/** The members of a serialised row that a copy has of its own: see pipeline/wallet-index/events-format.ts. */
const [POSITION, ID, LINK] = [1, 2, 14];

/** Copies of serialised rows, each row as often as it takes to have so many. */
export function grow(stored: readonly string[], rows: number): string[] {
  const copies = Math.ceil(rows / stored.length);
  return stored
    .flatMap((row) => {
      const members: (number | string | null)[] = JSON.parse(row);
      return Array.from({ length: copies }, (_, copy) => {
        const own = [...members];
        own[POSITION] = Number(members[POSITION]) * copies + copy;
        own[ID] = `${members[ID]}/${copy}`;
        if (members[LINK] !== null) own[LINK] = `${members[LINK]}/${copy}`;
        return JSON.stringify(own);
      });
    })
    .slice(0, rows);
}

async function serialisedRows({ workDir }: Settings, dataDir: string, { address }: Wallet): Promise<string[]> {
  const file = join(workDir, 'rows.txt');
  const database = await openEvents(dataDir);
  await createNoOpeningHoldings(database); // that of the copied wallet is not the new wallets'
  await writeEventLines(database, file);
  database.close();
  const rows = [...walletBatches(file)].filter((batch) => batch.address === address).flatMap(({ rows }) => rows);
  rmSync(file);
  return rows;
}

/** Adds a wallet of each size while no server has the dataset open. @returns their addresses */
export async function addGrownWallets(
  settings: Settings,
  dataDir: string,
  source: Wallet,
  sizes: readonly number[],
): Promise<string[]> {
  const rows = await serialisedRows(settings, dataDir, source);
  await placeGrown(dataDir, rows, sizes);
  return sizes.map(account);
}

/** Puts an index with the grown wallets in the place of the dataset's: a sealed index that is written to counts as damaged. */
export async function placeGrown(dataDir: string, rows: readonly string[], sizes: readonly number[]): Promise<void> {
  const generation = basename(generationFolder(dataDir));
  const reference = loadReference();
  const index = walletIndexDir(dataDir, generation);
  const folder = unfinished(index, 'wallet-index');
  mkdirSync(folder);
  copyFileSync(join(index, 'data.mdb'), join(folder, 'data.mdb'));
  const writer = new WalletIndexWriter(folder, { ...reference, monikerOf: () => '' });
  for (const size of sizes) await writer.add({ address: account(size), rows: grow(rows, size), last: true });
  await writer.close();
  await placeIndexFolder(dataDir, generation, reference, folder);
}
