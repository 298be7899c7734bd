/** The benchmark of memory at full size: a starting state from a file, a day of blocks, and the tables that are published of both. */
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { nextMessage, start, stop } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import type { Phase } from './full-size-process.js';
import { exportText } from './generated-export.js';
import type { Size } from './generated-size.js';

/** Resident memory that a night may take. */
const MEMORY_MIB_MAX = 1536;

const PROCESS = new URL('./full-size-process.js', import.meta.url);

/** Measures each part in a process that does all of them. At the Hub's size it takes a quarter of an hour. */
export async function measureFullSize({ workDir }: Settings, size: Size, blocks: number): Promise<Measure[]> {
  const folder = join(workDir, 'full-size');
  mkdirSync(folder);
  const file = join(folder, 'export.json.gz');
  await pipeline(Readable.from(exportText(size)), createGzip({ level: 1 }), createWriteStream(file));
  const child = start(PROCESS, JSON.stringify(size), String(blocks), file, folder);
  const [load, fold, publish] = await nextMessage<[Phase, Phase, Phase]>(child);
  await stop(child);
  rmSync(folder, { recursive: true });
  const { accounts, delegations, denoms } = size;
  return [
    ...measuresOf(`starting state, ${accounts} accounts, ${delegations} delegations, ${denoms} denoms`, load),
    ...measuresOf(`${blocks} blocks from it`, fold),
    ...measuresOf('published tables of holdings', publish),
  ];
}

const measuresOf = (what: string, { milliseconds, peakMiB, heapMiB }: Phase): Measure[] => [
  { what, figure: milliseconds / 1000, unit: 's' },
  { what: '  memory of the process', figure: peakMiB, unit: 'MiB', target: { atMost: MEMORY_MIB_MAX } },
  { what: '  heap of its thread', figure: heapMiB, unit: 'MiB' },
];
