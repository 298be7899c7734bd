/**
 * A measured process that does with a starting state of full size what a night does, on threads as there: <size as JSON> <blocks>
 * <file of the starting state> <folder to work in>. It loads the state, folds generated blocks, and publishes the tables of holdings.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Span } from '../../../pipeline/artifacts.js';
import { readConfig } from '../../../pipeline/config.js';
import { Database } from '../../../pipeline/duckdb/database.js';
import { foldEnd, foldedFolders, readStart } from '../../../pipeline/jobs/fold/holdings-folder.js';
import { runJobs } from '../../../pipeline/jobs/run-jobs.js';
import { writeTable } from '../../../pipeline/publish/write-table.js';
import { loadReference } from '../../../pipeline/reference.js';
import { joinHoldings } from '../../../pipeline/steps/join-holdings.js';
import { MONTHLY } from '../../../pipeline/steps/write-tables.js';
import { type FullSizeJob, type HeapReport, runFullSize } from './full-size-job.js';
import { FIRST_HEIGHT, type Size } from './generated-size.js';

/** Time and memory that a part of the night took. */
export interface Phase {
  readonly milliseconds: number;
  /** Largest resident size of the process meanwhile, threads and DuckDB included. */
  readonly peakMiB: number;
  /** Largest heap in use of the thread that did it. */
  readonly heapMiB: number;
}

const [sizeText, blockCount, source, workDir] = process.argv.slice(2) as [string, string, string, string];
const size: Size = JSON.parse(sizeText);
const blocks = Number(blockCount);
const holdings = join(workDir, 'holdings');

/** Linux forgets the peak so far when it is told to; elsewhere a phase's peak is that of all before it, too. */
function beginPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

function peakMiB(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
}

async function phase(work: (heap: (mebibytes: number) => void) => Promise<void>): Promise<Phase> {
  let heapMiB = 0;
  beginPeak();
  const start = performance.now();
  await work((mebibytes) => {
    heapMiB = Math.max(heapMiB, mebibytes);
  });
  return { milliseconds: performance.now() - start, peakMiB: peakMiB(), heapMiB };
}

const onThread = (job: FullSizeJob) => (onProgress: (heap: HeapReport) => void) =>
  runJobs({
    jobs: [job],
    run: runFullSize,
    worker: new URL('./full-size-worker.js', import.meta.url),
    threads: 1,
    heap: readConfig().stateHeap,
    signal: new AbortController().signal,
    onProgress,
  });

/** Makes the published tables of holdings, of an index that begins with the first generated block and has no other rows. */
async function publish(heap: (mebibytes: number) => void): Promise<void> {
  const last = FIRST_HEIGHT + blocks;
  const span: Span = {
    first: FIRST_HEIGHT + 1,
    last,
    firstTime: '2026-01-01T00:00:00Z',
    lastTime: '2026-01-02T00:00:00Z',
    months: [{ month: '2026-01', first: FIRST_HEIGHT + 1, last }],
  };
  const folder = join(workDir, 'generation');
  mkdirSync(folder);
  const database = await Database.open(join(workDir, 'spill'));
  const context = { config: readConfig(), database, folder, reference: loadReference() };
  const start = { ...readStart(holdings)!, folder: holdings };
  const folded = { folders: foldedFolders(holdings, last), ...foldEnd(holdings, last)! };
  const { holdings: tables } = await joinHoldings(
    { start, span, classified: { earlier: [], indexed: [] }, folded },
    context,
  );
  for (const table of tables) await writeTable(database, table, folder, MONTHLY.has(table) ? span.months : undefined);
  heap(getHeapStatistics().used_heap_size / 2 ** 20);
  database.close();
}

mkdirSync(holdings);
process.send!([
  await phase(onThread({ source, folder: holdings })),
  await phase(onThread({ folder: holdings, size, blocks })),
  await phase(publish),
]);
