/**
 * Compares the duration of a nightly run with the duration of only reading the same blocks. Measures whole runs, and
 * the second half of the recording, which excludes the startup.
 */
import { join } from 'node:path';
import { median, type Work, workOf } from './measured.js';
import { heights, type Settings, variables } from './settings.js';
import type { Measure } from './table.js';

const NIGHT = new URL('./night-process.js', import.meta.url);
const PARSE = new URL('./parse-process.js', import.meta.url);

/**
 * The blocks are read this many times, so that reading takes about as long as a nightly run. Other load on the machine
 * then slows both equally.
 */
const PASSES = 6;

interface Slope {
  /** Milliseconds per block in the second half of the recording. */
  readonly milliseconds: number;
  /** Medians of the runs over the whole recording. */
  readonly whole: Readonly<Record<'seconds' | 'cpuSeconds' | 'peakMiB', number>>;
}

/**
 * Returns the time per block for each kind of work: the median of the differences between each whole run and each half
 * run (Theil and Sen), which outliers hardly change. The kinds of work alternate, so that a slow moment of the machine
 * affects all of them.
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
    whole: {
      seconds: median(wholes.map(({ milliseconds }) => milliseconds)) / 1000,
      cpuSeconds: median(wholes.map(({ cpuMilliseconds }) => cpuMilliseconds)) / 1000,
      peakMiB: median(wholes.map(({ peakMiB }) => peakMiB)),
    },
  }));
}

const night = (settings: Settings, dataDir: string, until: number) =>
  workOf(NIGHT, variables(settings, dataDir), String(until));

/** Publishes the recording. @returns the data folder */
export async function publishRecording(settings: Settings): Promise<string> {
  const dataDir = join(settings.workDir, 'published');
  await night(settings, dataDir, heights(settings).last);
  return dataDir;
}

export async function measureNight(settings: Settings): Promise<Measure[]> {
  const dataDirOf = (round: number, until: number) => join(settings.workDir, `night-${round}-${until}`);
  const [ours, parse] = (await slopes(settings, [
    (round, until) => night(settings, dataDirOf(round, until), until),
    (_, until) => workOf(PARSE, settings.recording, String(until), String(PASSES)),
  ])) as [Slope, Slope];
  const compare = (what: string, unit: string, figureOf: (slope: Slope) => number): Measure => ({
    what: `night, ${what}`,
    figure: figureOf(ours),
    unit,
    against: [{ what: 'gunzip and JSON.parse', figure: figureOf(parse) }],
  });
  return [
    compare('a block more', 'ms', ({ milliseconds }) => milliseconds),
    compare('whole recording', 's', ({ whole }) => whole.seconds),
    compare('whole recording, CPU', 's', ({ whole }) => whole.cpuSeconds),
    compare('peak memory', 'MiB', ({ whole }) => whole.peakMiB),
  ];
}
