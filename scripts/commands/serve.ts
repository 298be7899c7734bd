/** `hubledger serve`: prepares the wallet index, then serves until a signal ends it. */
import type { Command } from 'commander';
import { readConfig } from '../../pipeline/config.js';
import { currentGeneration } from '../../pipeline/publish/generation.js';
import { isIndexReady } from '../../pipeline/publish/wallet-index-key.js';
import { loadReference } from '../../pipeline/reference.js';

/** Makes the wallet index where it is missing. A dataset that cannot be prepared, of another form for one, is left to the next night. */
async function prepareIndex(dataDir: string): Promise<void> {
  const generation = currentGeneration(dataDir);
  const reference = loadReference();
  try {
    if (generation === undefined || isIndexReady(dataDir, generation, reference)) return;
    const { ensureWalletIndex } = await import('../../pipeline/publish/place-wallet-index.js');
    await ensureWalletIndex(dataDir, generation, reference);
  } catch (error) {
    console.error(`hubledger: ${generation} cannot be served before another night: ${(error as Error).message}`);
  }
}

async function serveDataset(): Promise<void> {
  const config = readConfig();
  await prepareIndex(config.dataDir);
  const { serve } = await import('../../server/main.js');
  await serve(config);
}

/** Declares the action. */
export function declare(command: Command): void {
  command.action(serveDataset);
}
