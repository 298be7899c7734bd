/**
 * The benchmark of the night against merely reading the same blocks. The slope between half and whole of a recording leaves out the
 * start of either.
 */
import { join } from 'node:path';
import { median, type Work, workOf } from '../measured.js';
import { heights, type Settings, variables } from '../settings.js';
import type { Measure } from '../table.js';

const NIGHT = new URL('./night-process.js', import.meta.url);
const PARSE = new URL('./parse-process.js', import.meta.url);

/** Passes of the reading in the time of one night: over as long a time, both meet the same moments of a machine that others use, too. */
const PASSES = 6;

interface Slope {
  /** Milliseconds for each block beyond the first half. */
  readonly milliseconds: number;
  /** Largest resident size of the process that took the whole. */
  readonly peakMiB: number;
}

/**
 * Measures the slopes. Each is the median of those between every half and every whole (Theil and Sen): one disturbed run, or one
 * lucky one, does not move it far. The works take turns, so that a slow moment of the machine is one of both.
 */
async function slopes(
  settings: Settings,
  works: readonly ((round: number, until: number) => Promise<Work>)[],
): Promise<Slope[]> {
  const { first, last } = heights(settings);
  const middle = Math.floor((first + last) / 2);
  const done = works.map(() => ({ halves: [] as Work[], wholes: [] as Work[] }));
  for (let round = 0; round < settings.rounds; round++) {
    for (const [i, work] of works.entries()) done[i]!.halves.push(await work(round, middle));
    for (const [i, work] of works.entries()) done[i]!.wholes.push(await work(round, last));
  }
  return done.map(({ halves, wholes }) => ({
    milliseconds:
      median(wholes.flatMap((whole) => halves.map((half) => whole.milliseconds - half.milliseconds))) / (last - middle),
    peakMiB: median(wholes.map(({ peakMiB }) => peakMiB)),
  }));
}

const night = (settings: Settings, dataDir: string, until: number) =>
  workOf(NIGHT, variables(settings, dataDir), String(until));

/** Publishes the whole recording. @returns its data directory */
export async function publishRecording(settings: Settings): Promise<string> {
  const dataDir = join(settings.workDir, 'published');
  await night(settings, dataDir, heights(settings).last);
  return dataDir;
}

/** Measures nights on the recording and the reading of its blocks. */
export async function measureNight(settings: Settings): Promise<Measure[]> {
  const dataDirOf = (round: number, until: number) => join(settings.workDir, `night-${round}-${until}`);
  const [ours, parse] = (await slopes(settings, [
    (round, until) => night(settings, dataDirOf(round, until), until),
    (_, until) => workOf(PARSE, settings.recording, String(until), String(PASSES)),
  ])) as [Slope, Slope];
  return [
    {
      what: 'night, a block more',
      figure: ours.milliseconds,
      unit: 'ms',
      against: [{ what: 'gunzip and JSON.parse', figure: parse.milliseconds }],
    },
    {
      what: 'night, peak memory',
      figure: ours.peakMiB,
      unit: 'MiB',
      against: [{ what: 'gunzip and JSON.parse', figure: parse.peakMiB }],
    },
  ];
}
