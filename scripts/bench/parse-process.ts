/**
 * Measures, in a separate process, how long it takes to read blocks with gunzip and JSON.parse only. Arguments: <folder
 * of a recording> <last height> <passes>. Reports the mean duration of a pass.
 */
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { report } from './measured.js';

const [recording, until, passes] = process.argv.slice(2) as [string, string, string];

async function parseFile(file: string): Promise<number> {
  let blocks = 0;
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) });
  for await (const line of lines) blocks += JSON.parse(line).height <= Number(until) ? 1 : 0;
  return blocks;
}

async function parseBlocks(): Promise<number> {
  const folder = join(recording, 'blocks');
  const first = (file: string) => Number.parseInt(file, 10);
  let blocks = 0;
  for (const file of readdirSync(folder)) {
    if (first(file) <= Number(until)) blocks += await parseFile(join(folder, file));
  }
  return blocks;
}

const start = performance.now();
let blocks = 0;
for (let pass = 0; pass < Number(passes); pass++) blocks = await parseBlocks();
report(performance.now() - start, blocks, Number(passes));
