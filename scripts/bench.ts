/** `hubledger bench`: what the software costs beside the least that could do the same, in one table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../pipeline/config.js';
import { projectRoot } from '../pipeline/project.js';
import { measureContractQueries } from './bench/contract-queries.js';
import { measureFold, measureFullSize } from './bench/fold.js';
import { BLOCKS_A_DAY, REAL_SIZE } from './bench/generated-chain.js';
import { measureHistory } from './bench/history.js';
import { stop } from './bench/measured.js';
import { measureNight } from './bench/night.js';
import { keyHeaders, measureBlock, measureRequest, startServer } from './bench/requests.js';
import type { Measure, Settings } from './bench/settings.js';
import { chooseWallets, measureParquet, measureReplay } from './bench/wallets.js';

export interface BenchOptions {
  /** Folder of a recording; the bundled sample when not given. */
  readonly recording?: string;
  readonly rounds?: number;
  /** How long one round asks a server. */
  readonly milliseconds?: number;
  /** Delegations and blocks of the generated chain that the fold is measured with: a million and a third of a day by default. */
  readonly generated?: { readonly delegations: number; readonly blocks: number };
  /** Also load a starting state of real size and fold a day of blocks, which takes minutes. */
  readonly full?: boolean;
}

const GENERATED = { delegations: REAL_SIZE.delegations, blocks: BLOCKS_A_DAY / 3 };

async function measureRequests(settings: Settings, dataDir: string): Promise<Measure[]> {
  const { small, largest } = await chooseWallets(dataDir);
  const events = `/api/tax/v1/events?address=${small.address}`;
  const tags = encodeURIComponent(JSON.stringify({ [small.transfer!]: 'gift' }));
  const rows = `${small.rows} rows`;
  const key = await keyHeaders(dataDir);
  const server = await startServer(settings, dataDir);
  try {
    const stored = await measureRequest(settings, server, `events, ${rows}, as stored`, events);
    const parquet = await measureParquet(settings, dataDir, small.address);
    return [
      ...stored,
      ...(await measureRequest(settings, server, `events, ${rows}, as stored, by key`, events, key)),
      ...(await measureRequest(settings, server, `events, ${rows}, filtered`, `${events}&start=2000-01-01`)),
      ...(await measureRequest(settings, server, `events, ${rows}, tagged`, `${events}&tags=${tags}`)),
      { ...parquet, against: { what: 'the server, as stored', figure: stored.at(-1)!.figure } },
      await measureBlock(
        settings,
        server,
        `longest block, events of ${largest.rows} rows, filtered`,
        `/api/tax/v1/events?address=${largest.address}&start=2000-01-01`,
      ),
    ];
  } finally {
    await stop(server.process);
  }
}

const amount = (figure: number) =>
  figure.toLocaleString('en', figure < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 });

/** Measures as lines of equal columns. */
export function formatTable(measures: readonly Measure[]): string {
  const cells = measures.map(({ what, figure, unit, against }) => [
    what,
    `${amount(figure)} ${unit}`,
    against ? `${amount(against.figure)} ${unit}` : '',
    against ? `${amount(figure / against.figure)} ×` : '',
    against ? `against ${against.what}` : '',
  ]);
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const isText = (column: number) => column === 0 || column === 4;
  return cells
    .map((row) =>
      row
        .map((cell, i) => (isText(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Runs the benchmarks and prints their table: the night and its memory, the fold of holdings and what is asked of it,
 * requests, the same by DuckDB, the replay, the longest time that a large answer holds up the server, and queries of contracts,
 * also while a node is sick. Everything lies in a temporary folder.
 */
export async function bench(config: Config, options: BenchOptions = {}): Promise<readonly Measure[]> {
  const workDir = mkdtempSync(join(tmpdir(), 'hubledger-bench-'));
  const settings: Settings = {
    recording: options.recording ? resolve(options.recording) : join(projectRoot(), 'data/sample'),
    workDir,
    rounds: options.rounds ?? 3,
    milliseconds: options.milliseconds ?? 1000,
    config,
  };
  try {
    const { measures, dataDir } = await measureNight(settings);
    const { delegations, blocks } = options.generated ?? GENERATED;
    const all = [
      ...measures,
      ...(await measureFold(settings, { ...REAL_SIZE, delegations }, blocks)),
      ...(options.full ? await measureFullSize(settings, REAL_SIZE) : []),
      measureHistory(settings),
      await measureReplay(settings, dataDir),
      ...(await measureRequests(settings, dataDir)),
      ...(await measureContractQueries(settings, dataDir)),
    ];
    console.log(formatTable(all));
    return all;
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}
