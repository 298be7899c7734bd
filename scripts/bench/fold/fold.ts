/** The benchmark of the state fold beside JSON.parse of the same blocks, each on one core: recorded ones, and at real size. */
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { projectRoot } from '../../../pipeline/project.js';
import { type Work, workOf, workWithin } from '../measured.js';
import { heights, type Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { BLOCKS_A_DAY, type Size } from './generated-chain.js';
import { exportText } from './generated-export.js';

const RECORDED = new URL('./fold-process.js', import.meta.url);
const REAL_SIZE = new URL('./real-size-process.js', import.meta.url);
/** Resident memory that a night may take. */
const MEMORY_MIB_MAX = 1536;
/** Part of it for JavaScript objects. */
const HEAP_MIB_MAX = 1024;

const perSecond = ({ count, milliseconds }: Work) => (count / milliseconds) * 1000;

/** Measures blocks a second of fold and parse, each in its best round: other work on the machine only takes away. */
async function beside(
  settings: Settings,
  what: string,
  run: (what: 'fold' | 'parse') => Promise<Work>,
): Promise<Measure> {
  const folds: number[] = [];
  const parses: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    folds.push(perSecond(await run('fold')));
    parses.push(perSecond(await run('parse')));
  }
  const against = [{ what: 'JSON.parse', figure: Math.max(...parses) }];
  return { what, figure: Math.max(...folds), unit: 'blocks/s', against };
}

/** Folds the recording, and generated blocks of a size. */
export async function measureFold(settings: Settings, size: Size, blocks: number): Promise<Measure[]> {
  const genesis = join(settings.recording, 'genesis.json.gz');
  const start = existsSync(genesis) ? genesis : join(projectRoot(), 'data/sample/genesis.json.gz');
  const { last } = heights(settings);
  const { delegations, validators, claims } = size;
  const generated = `fold, ${validators} validators, ${delegations} delegations, ${claims} claims`;
  return [
    await beside(settings, 'fold of the recording', (what) =>
      workOf(RECORDED, settings.recording, start, String(last), what),
    ),
    await beside(settings, generated, (what) => workOf(REAL_SIZE, JSON.stringify(size), String(blocks), what)),
  ];
}

/** Loads a generated starting state from a file and folds a day of generated blocks. Takes minutes. */
export async function measureFullSize(settings: Settings, size: Size): Promise<Measure[]> {
  const file = join(settings.workDir, 'export.json.gz');
  await pipeline(Readable.from(exportText(size)), createGzip({ level: 1 }), createWriteStream(file));
  const load = await workWithin(HEAP_MIB_MAX, REAL_SIZE, JSON.stringify(size), String(BLOCKS_A_DAY), 'fold', file);
  rmSync(file);
  const what = `${size.accounts} accounts, ${size.delegations} delegations`;
  return [
    { what: `starting state, ${what}`, figure: load.milliseconds / 1000, unit: 's' },
    {
      what: 'the same and a day of blocks, peak memory',
      figure: load.peakMiB,
      unit: 'MiB',
      target: { atMost: MEMORY_MIB_MAX },
    },
  ];
}
