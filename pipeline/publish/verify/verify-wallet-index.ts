/**
 * Verifies a generation's wallet index. Compares first the hashes of its files, then its values with the tables. Events
 * are compared for a sample of wallets only.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchFolder } from '../../base/disk/lock.js';
import { loadReference, type Reference } from '../../reference.js';
import { addRestatements, buildBaseLayer, buildOpenLayer, planIndex } from '../build-wallet-index.js';
import { generationDir, readManifest, walletIndexDir } from '../generation.js';
import { layerFolders, openWalletIndex } from '../wallet-index/open-index.js';
import { damagedIndexFile, indexState } from '../wallet-index-key.js';
import type { Check } from './verify.js';

const WALLETS = 20;
const SHOWN = 10;

/** Succeeds without an index, because a server builds a missing index at startup. */
export async function* verifyWalletIndex(dataDir: string, generation: string): AsyncGenerator<Check> {
  const reference = loadReference();
  const folder = walletIndexDir(dataDir, generation);
  if (indexState(dataDir, generation, reference) === 'absent') {
    yield { ok: true, text: 'wallet index: not built by this program version; a server builds it at startup' };
    return;
  }
  const damaged = await damagedIndexFile(folder, 'again');
  yield {
    ok: damaged === undefined,
    text: damaged
      ? `wallet index: ${damaged} is damaged; a server or a nightly run rebuilds the index`
      : 'wallet index: files are intact',
  };
  if (damaged === undefined) yield await compareWithTables(dataDir, generation, folder, reference);
}

async function compareWithTables(
  dataDir: string,
  generation: string,
  folder: string,
  reference: Reference,
): Promise<Check> {
  const scratch = await scratchFolder(dirname(folder), 'wallet-index');
  try {
    const source = generationDir(dataDir, generation);
    const manifest = readManifest(source);
    const plan = await planIndex({ folder: source, manifest, reference }, join(scratch, 'spill'));
    const open = join(scratch, generation);
    const base: string[] = [];
    for (const layer of plan.base) {
      const made = join(scratch, layer.name);
      await buildBaseLayer(plan, layer, made, base, { wallets: WALLETS });
      base.push(made);
    }
    await buildOpenLayer(plan, open, base, { wallets: WALLETS });
    await addRestatements(source, manifest, open);
    let values = 0;
    const differing: string[] = [];
    const foundLayers = layerFolders(folder);
    for (const [i, layer] of layerFolders(open).entries()) {
      const [expected, found] = [openWalletIndex(layer), openWalletIndex(foundLayers[i]!)];
      for (const { key, value } of expected.getRange()) {
        values++;
        if (!found.getBinary(key)?.equals(value)) differing.push(JSON.stringify(key));
      }
      await Promise.all([expected.close(), found.close()]);
    }
    const claim = `wallet index: ${values} values match the tables, including a sample of wallets`;
    return { ok: differing.length === 0, text: [claim, ...differing.slice(0, SHOWN)].join('\n  ') };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
