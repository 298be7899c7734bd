/** Benchmark of the state fold beside JSON.parse of the same blocks, each on one core. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/project.js';
import { workOf } from './measured.js';
import { heights, type Settings } from './settings.js';
import type { Measure } from './table.js';

const FOLD = new URL('./fold-process.js', import.meta.url);

/** Measures blocks per second, each work in its best round: other load on the machine can only slow it down. */
export async function measureFold(settings: Settings): Promise<Measure> {
  const genesis = join(settings.recording, 'genesis.json.gz');
  const start = existsSync(genesis) ? genesis : join(projectRoot(), 'data/sample/genesis.json.gz');
  const { last } = heights(settings);
  const perSecond = async (what: 'fold' | 'parse') => {
    const { count, milliseconds } = await workOf(FOLD, settings.recording, start, String(last), what);
    return (count / milliseconds) * 1000;
  };
  const folds: number[] = [];
  const parses: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    folds.push(await perSecond('fold'));
    parses.push(await perSecond('parse'));
  }
  const against = [{ what: 'JSON.parse', figure: Math.max(...parses) }];
  return { what: 'fold of the recording', figure: Math.max(...folds), unit: 'blocks/s', against };
}
