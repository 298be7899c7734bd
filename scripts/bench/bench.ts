/** The benchmarks of `hubledger bench`: the software's cost beside the least that could do the same, in one table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../pipeline/config.js';
import { VariableError } from '../../pipeline/config-error.js';
import { projectRoot } from '../../pipeline/project.js';
import { measureContractQueries } from './contracts/contract-queries.js';
import { measureFold } from './fold/fold.js';
import { measureFullSize } from './fold/full-size.js';
import { BLOCKS_A_DAY, REAL_SIZE } from './fold/generated-size.js';
import { measureHistory } from './fold/history.js';
import { measureNight, publishRecording } from './night/night.js';
import { measureReplay } from './replay.js';
import { measureRequests } from './requests/requests.js';
import type { Settings } from './settings.js';
import { formatTable, type Measure } from './table.js';

export interface BenchOptions {
  /** Folder of a recording; the bundled sample when not given. */
  readonly recording?: string;
  /** Name of the one part to run; all when not given. */
  readonly only?: string;
  readonly rounds?: number;
  /** Milliseconds for which one round asks a server. */
  readonly milliseconds?: number;
  /** Number of mixed requests after which a server's memory is measured. */
  readonly mixedRequests?: number;
  /** Delegations and blocks of the generated chain that the fold is measured with: 200,000 and a third of a day by default. */
  readonly generated?: { readonly delegations: number; readonly blocks: number };
  /** Whether to load a starting state of real size, too, and fold and publish a day of blocks, which takes a quarter of an hour. */
  readonly full?: boolean;
  /** Program of a Chromium to measure the report in, which is not measured without one. */
  readonly browser?: string;
}

/** Their number hardly matters to the time that a block takes. */
const GENERATED = { delegations: 200_000, blocks: BLOCKS_A_DAY / 3 };

type Part = (settings: Settings, dataDir: string, options: BenchOptions) => Promise<Measure[]>;

/** The parts of the benchmarks by name, in the order of the table. Each is given a data folder with the recording published in it. */
const PARTS = {
  night: (settings) => measureNight(settings),
  fold: async (settings, _dataDir, { full, generated: { delegations, blocks } = GENERATED }) => [
    ...(await measureFold(settings, { ...REAL_SIZE, delegations }, blocks)),
    ...(full ? await measureFullSize(settings, REAL_SIZE, BLOCKS_A_DAY) : []),
    measureHistory(settings),
  ],
  replay: async (settings, dataDir) => [await measureReplay(settings, dataDir)],
  requests: measureRequests,
  contracts: measureContractQueries,
  page: async (settings, dataDir, { browser }) => {
    if (!browser) return [];
    const { measurePage } = await import('./page/page.js'); // needs a package that only those who develop have
    return measurePage(settings, dataDir, browser);
  },
} satisfies Record<string, Part>;

function partsOf(only: string | undefined): Part[] {
  const chosen = Object.entries(PARTS).filter(([name]) => only === undefined || name === only);
  if (chosen.length > 0) return chosen.map(([, part]) => part);
  throw new VariableError(`the benchmarks have no part ${only}; there are ${Object.keys(PARTS).join(', ')}`);
}

/**
 * Runs the benchmarks and prints their table. Everything lies in a temporary folder.
 * @throws VariableError for a part that there is not
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
    for (const part of parts) measures.push(...(await part(settings, dataDir, options)));
    console.log(formatTable(measures));
    return measures;
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}
