/** The benchmarks of `hubledger bench`: the cost of the software beside the least that does the same, in one table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../pipeline/config.js';
import { VariableError } from '../../pipeline/config-error.js';
import { projectRoot } from '../../pipeline/project.js';
import { measureFold } from './fold.js';
import { median, workOf } from './measured.js';
import { measureNight, publishRecording } from './night.js';
import { measureRequests } from './requests/requests.js';
import { generationFolder, type Settings } from './settings.js';
import { formatTable, type Measure } from './table.js';

export interface BenchOptions {
  /** Folder of a recording; default: the bundled sample. */
  readonly recording?: string;
  /** The one part to run; default: all. */
  readonly only?: string;
  readonly rounds?: number;
  readonly milliseconds?: number;
  readonly mixedRequests?: number;
}

const REPLAY = new URL('./replay-process.js', import.meta.url);
const REPLAY_TIMES = '20';

/** Measures the replay of every wallet of a dataset, in memory and on one core. */
async function measureReplay(settings: Settings, dataDir: string): Promise<Measure> {
  const speeds: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    const { count, milliseconds } = await workOf(REPLAY, generationFolder(dataDir), REPLAY_TIMES, settings.workDir);
    speeds.push((count / milliseconds) * 1000);
  }
  return { what: 'replay', figure: median(speeds), unit: 'events/s' };
}

type Part = (settings: Settings, dataDir: string) => Promise<Measure[]>;

/** Parts by name, in the order of the table. Each gets a data folder in which the recording is published. */
const PARTS = {
  night: measureNight,
  fold: async (settings) => [await measureFold(settings)],
  replay: async (settings, dataDir) => [await measureReplay(settings, dataDir)],
  requests: measureRequests,
} satisfies Record<string, Part>;

function partsOf(only: string | undefined): Part[] {
  const chosen = Object.entries(PARTS).filter(([name]) => only === undefined || name === only);
  if (chosen.length > 0) return chosen.map(([, part]) => part);
  throw new VariableError(`--only must be one of ${Object.keys(PARTS).join(', ')}, not ${only}`);
}

/**
 * Runs the benchmarks in a temporary folder and prints their table.
 * @throws VariableError for an unknown part
 */
export async function bench(config: Config, options: BenchOptions = {}): Promise<readonly Measure[]> {
  const parts = partsOf(options.only);
  const workDir = mkdtempSync(join(tmpdir(), 'hubledger-bench-'));
  const settings: Settings = {
    recording: options.recording ? resolve(options.recording) : join(projectRoot(), 'data/sample'),
    workDir,
    rounds: options.rounds ?? 5,
    milliseconds: options.milliseconds ?? 1000,
    mixedRequests: options.mixedRequests ?? 20_000,
    config,
  };
  try {
    const dataDir = await publishRecording(settings);
    const measures: Measure[] = [];
    for (const part of parts) measures.push(...(await part(settings, dataDir)));
    console.log(formatTable(measures));
    return measures;
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}
