/**
 * The night against merely reading the same blocks. The slope between half and whole of a recording leaves out what
 * starting up costs either of them.
 */
import { join } from 'node:path';
import { median, type Work, workOf } from './measured.js';
import { heights, type Measure, type Settings, variables } from './settings.js';

const NIGHT = new URL('./night-process.js', import.meta.url);
const PARSE = new URL('./parse-process.js', import.meta.url);

/** A night takes that much longer: over as long a time, both meet the same moments of a machine that others use, too. */
const PASSES = 6;

interface Slope {
  /** A block beyond the first half. */
  readonly milliseconds: number;
  /** Of the whole. */
  readonly peakMiB: number;
}

/**
 * The slope is the median of those between every half and every whole (Theil and Sen): one disturbed run, or one lucky one, does not
 * move it far. The works take turns, so that a slow moment of the machine is one of both, and there are more rounds than elsewhere.
 */
async function slopes(
  settings: Settings,
  works: readonly ((round: number, until: number) => Promise<Work>)[],
): Promise<Slope[]> {
  const { first, last } = heights(settings);
  const middle = Math.floor((first + last) / 2);
  const done = works.map(() => ({ halves: [] as Work[], wholes: [] as Work[] }));
  for (let round = 0; round < 2 * settings.rounds - 1; round++) {
    for (const [i, work] of works.entries()) done[i]!.halves.push(await work(round, middle));
    for (const [i, work] of works.entries()) done[i]!.wholes.push(await work(round, last));
  }
  return done.map(({ halves, wholes }) => ({
    milliseconds:
      median(wholes.flatMap((whole) => halves.map((half) => whole.milliseconds - half.milliseconds))) / (last - middle),
    peakMiB: median(wholes.map(({ peakMiB }) => peakMiB)),
  }));
}

/** @returns the measures, and a data directory with the whole recording published in it */
export async function measureNight(settings: Settings): Promise<{ measures: Measure[]; dataDir: string }> {
  const dataDirOf = (round: number, until: number) => join(settings.workDir, `night-${round}-${until}`);
  const [night, parse] = (await slopes(settings, [
    (round, until) => workOf(NIGHT, variables(settings, dataDirOf(round, until)), String(until)),
    (_, until) => workOf(PARSE, settings.recording, String(until), String(PASSES)),
  ])) as [Slope, Slope];
  const measures: Measure[] = [
    {
      what: 'night, a block more',
      figure: night.milliseconds,
      unit: 'ms',
      against: { what: 'gunzip and JSON.parse', figure: parse.milliseconds },
    },
    {
      what: 'night, peak memory',
      figure: night.peakMiB,
      unit: 'MiB',
      against: { what: 'gunzip and JSON.parse', figure: parse.peakMiB },
    },
  ];
  return { measures, dataDir: dataDirOf(0, heights(settings).last) };
}
