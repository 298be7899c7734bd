/** The benchmark of the replay of every wallet of a dataset, in memory and on one core. */
import { median, workOf } from './measured.js';
import { generationFolder, type Settings } from './settings.js';
import type { Measure } from './table.js';

const REPLAY = new URL('./replay-process.js', import.meta.url);
const TIMES = '20';

/** Measures the replay of a published dataset, in events a second. */
export async function measureReplay(settings: Settings, dataDir: string): Promise<Measure> {
  const speeds: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    const { count, milliseconds } = await workOf(REPLAY, generationFolder(dataDir), TIMES, settings.workDir);
    speeds.push((count / milliseconds) * 1000);
  }
  return { what: 'replay', figure: median(speeds), unit: 'events/s' };
}
