/** The benchmark of the state fold beside JSON.parse of the same blocks, each on one core: recorded ones, and at real size. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../pipeline/project.js';
import { type Work, workOf } from '../measured.js';
import { heights, type Settings } from '../settings.js';
import type { Measure } from '../table.js';
import type { Size } from './generated-size.js';

const RECORDED = new URL('./fold-process.js', import.meta.url);
const REAL_SIZE = new URL('./real-size-process.js', import.meta.url);

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
  const { delegations, validators, denoms, claims } = size;
  const generated = `fold, ${validators} validators, ${delegations} delegations, ${denoms} denoms, ${claims} claims`;
  return [
    await beside(settings, 'fold of the recording', (what) =>
      workOf(RECORDED, settings.recording, start, String(last), what),
    ),
    await beside(settings, generated, (what) => workOf(REAL_SIZE, JSON.stringify(size), String(blocks), what)),
  ];
}
