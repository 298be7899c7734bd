/** The key of a wallet index: what it was made of. It is told apart from the making, which needs DuckDB. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../cache-key/cache-key.js';
import type { Reference } from '../reference.js';
import { generationDir, manifestFile, walletIndexDir } from './generation.js';

const keyFile = (index: string) => join(index, 'made-of.key');

/** A hash of all that decides an index's bytes: the manifest, the reviewed data, and the program that writes answers. */
function indexKey(dataDir: string, generation: string, reference: Reference): string {
  const program = fileURLToPath(import.meta.resolve('./build-wallet-index.js'));
  return cacheKey([program], [readFileSync(manifestFile(generationDir(dataDir, generation)), 'utf8'), reference]);
}

/** Tells whether stores/<generation> is there and made of that generation by this program. */
export function isIndexReady(dataDir: string, generation: string, reference: Reference): boolean {
  const file = keyFile(walletIndexDir(dataDir, generation));
  return existsSync(file) && readFileSync(file, 'utf8') === indexKey(dataDir, generation, reference);
}

/** Writes the key of a generation's index into the folder that becomes it. */
export function writeIndexKey(dataDir: string, generation: string, reference: Reference, folder: string): void {
  writeFileSync(keyFile(folder), indexKey(dataDir, generation, reference));
}
