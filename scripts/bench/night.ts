/**
 * The night against merely reading the same blocks. The slope between half and whole of a recording leaves out what
 * starting up costs either of them.
 */
import { join } from 'node:path';
import { median, type Work, workOf } from './measured.js';
import { heights, type Measure, type Settings, variables } from './settings.js';

const NIGHT = new URL('./night-process.js', import.meta.url);
const PARSE = new URL('./parse-process.js', import.meta.url);

/** Milliseconds a block beyond the first half, and the peak of the whole, each the median of the rounds. */
async function slope(settings: Settings, work: (round: number, until: number) => Promise<Work>) {
  const { first, last } = heights(settings);
  const half = Math.floor((first + last) / 2);
  const halves: number[] = [];
  const wholes: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    halves.push((await work(round, half)).milliseconds);
    const whole = await work(round, last);
    wholes.push(whole.milliseconds);
    peaks.push(whole.peakMiB);
  }
  return { milliseconds: (median(wholes) - median(halves)) / (last - half), peakMiB: median(peaks) };
}

/** @returns the measures, and a data directory with the whole recording published in it */
export async function measureNight(settings: Settings): Promise<{ measures: Measure[]; dataDir: string }> {
  const dataDirOf = (round: number, until: number) => join(settings.workDir, `night-${round}-${until}`);
  const night = await slope(settings, (round, until) =>
    workOf(NIGHT, variables(settings, dataDirOf(round, until)), String(until)),
  );
  const parse = await slope(settings, (_, until) => workOf(PARSE, settings.recording, String(until)));
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
