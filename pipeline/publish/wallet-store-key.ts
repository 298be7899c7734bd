/** The key of a wallet store: what it was made of. It is told apart from the making, which needs DuckDB. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../cache-key/cache-key.js';
import type { Reference } from '../reference.js';
import { generationDir, manifestFile, storeDir } from './generation.js';

const keyFile = (store: string) => join(store, 'made-of.key');

/** A hash of all that decides a store's bytes: the manifest, the reviewed data, and the program that writes answers. */
function storeKey(dataDir: string, generation: string, reference: Reference): string {
  const program = fileURLToPath(import.meta.resolve('./build-wallet-store.js'));
  return cacheKey([program], [readFileSync(manifestFile(generationDir(dataDir, generation)), 'utf8'), reference]);
}

/** Whether stores/<generation> is there and made of that generation by this program. */
export function isStoreReady(dataDir: string, generation: string, reference: Reference): boolean {
  const file = keyFile(storeDir(dataDir, generation));
  return existsSync(file) && readFileSync(file, 'utf8') === storeKey(dataDir, generation, reference);
}

/** Writes the key of a generation's store into the folder that becomes it. */
export function writeStoreKey(dataDir: string, generation: string, reference: Reference, folder: string): void {
  writeFileSync(keyFile(folder), storeKey(dataDir, generation, reference));
}
