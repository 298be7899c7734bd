/** What names rows that are kept between nights: everything that makes them, so that no row outlives its maker. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from '../publish/files.js';

/**
 * A name made of data and of program text.
 * @param folders of the program, beside this one's parent
 */
export function recipe(data: unknown, folders: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(data));
  for (const folder of folders) {
    const path = join(import.meta.dirname, '..', folder);
    for (const file of listFolder(path)) {
      if (/\.(js|ts)$/.test(file)) hash.update(file).update(readFileSync(join(path, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Heights as the names of folders have them: in the order of their text. */
export const paddedHeight = (height: number) => String(height).padStart(10, '0');
