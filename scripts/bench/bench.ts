/**
 * Runs the benchmarks of `hubledger bench` and prints one table. Each benchmark compares hubledger with the simplest
 * program that does the same work.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VariableError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Config } from '../../pipeline/config.js';
import { measureGrowth } from './growth.js';
import { median, workOf } from './measured.js';
import { measureNight, publishRecording } from './night.js';
import { measureRequests } from './requests.js';
import { generationFolder, heights, type Settings } from './settings.js';
import { formatTable, type Measure } from './table.js';

export interface BenchOptions {
  readonly recording?: string;
  readonly only?: string;
  /** The benchmark `growth` repeats the recording this many times. */
  readonly times?: number;
  readonly rounds?: number;
  readonly milliseconds?: number;
  readonly mixedRequests?: number;
}

const FOLD = new URL('./fold-process.js', import.meta.url);

/**
 * Measures blocks per second. Uses the fastest of several rounds, because other load on the machine can only slow a
 * round down.
 */
async function measureFold(settings: Settings): Promise<Measure> {
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

const REPLAY = new URL('./replay-process.js', import.meta.url);
const REPLAY_TIMES = '20';

async function measureReplay(settings: Settings, dataDir: string): Promise<Measure> {
  const speeds: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    const { count, milliseconds } = await workOf(REPLAY, generationFolder(dataDir), REPLAY_TIMES, settings.workDir);
    speeds.push((count / milliseconds) * 1000);
  }
  return { what: 'replay', figure: median(speeds), unit: 'events/s' };
}

type Part = (settings: Settings, dataDir: string) => Promise<Measure[]>;

/**
 * Parts of the benchmark, in the order of the printed table. Each part gets a data folder in which the recording is
 * published.
 */
const PARTS = {
  night: measureNight,
  fold: async (settings) => [await measureFold(settings)],
  replay: async (settings, dataDir) => [await measureReplay(settings, dataDir)],
  requests: measureRequests,
} satisfies Record<string, Part>;

/** This part runs only on request, because it takes minutes and prints its own tables. */
const GROWTH = 'growth';

function partsOf(only: string | undefined): Part[] {
  if (only === GROWTH) return [];
  const chosen = Object.entries(PARTS).filter(([name]) => only === undefined || name === only);
  if (chosen.length > 0) return chosen.map(([, part]) => part);
  throw new VariableError(`--only must be one of ${[...Object.keys(PARTS), GROWTH].join(', ')}, not ${only}`);
}

export async function bench(config: Config, options: BenchOptions = {}): Promise<readonly Measure[]> {
  const parts = partsOf(options.only);
  const recording = resolve(options.recording ?? join(projectRoot(), 'data/sample'));
  if (!existsSync(join(recording, 'status.json')))
    throw new VariableError(`--recording: ${recording} contains no status.json`);
  const workDir = mkdtempSync(join(tmpdir(), 'hubledger-bench-'));
  const settings: Settings = {
    recording,
    workDir,
    rounds: options.rounds ?? 5,
    milliseconds: options.milliseconds ?? 1000,
    mixedRequests: options.mixedRequests ?? 20_000,
    config,
  };
  try {
    if (options.only === GROWTH) {
      console.log(await measureGrowth(settings, options.times ?? 5));
      return [];
    }
    const dataDir = await publishRecording(settings);
    const measures: Measure[] = [];
    for (const part of parts) measures.push(...(await part(settings, dataDir)));
    console.log(formatTable(measures));
    return measures;
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}
