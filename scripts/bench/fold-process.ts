/**
 * Measures, in a separate process, the fold of a recording's blocks (the computation of holdings, block by block), or
 * only the parsing. Arguments: <folder of the recording> <starting state> <last height> <fold|parse>. Reports the CPU
 * time of a second pass, because V8 compiles the code during the first one. Excludes disk reads and decoding.
 */
import { pathToFileURL } from 'node:url';
import type { FullBlock } from '../../pipeline/chain/block.js';
import { Recording } from '../../pipeline/chain/nodes/open-source.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { foldBlocks } from '../../pipeline/holdings/fold-blocks.js';
import { loadStartingState } from '../../pipeline/holdings/start/load-starting-state.js';
import { report } from './measured.js';

const BATCH_BLOCKS = 10;

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

class CpuClock {
  milliseconds = 0;

  *running<Value>(values: Iterable<Value>): Generator<Value> {
    const start = cpuTime();
    try {
      yield* values;
    } finally {
      this.milliseconds += cpuTime() - start;
    }
  }
}

const [folder, start, until, what] = process.argv.slice(2) as [string, string, string, 'fold' | 'parse'];
const recording = new Recording(pathToFileURL(folder).href);
let clock = new CpuClock();
let heights = new Set<number>();

/** Prepares the records in batches. The measurement excludes the time of preparation. */
async function* prepared<Value>(from: number, prepare: (height: number, record: string) => Value) {
  let batch: Value[] = [];
  for await (const { height, record } of recording.records(from, Number(until))) {
    heights.add(height);
    batch.push(prepare(height, record));
    if (batch.length < BATCH_BLOCKS) continue;
    yield* clock.running(batch);
    batch = [];
  }
  yield* clock.running(batch);
}

async function pass(): Promise<void> {
  const { state } = await loadStartingState(start);
  if (what === 'parse') {
    for await (const record of prepared(state.height + 1, (_, text) => text)) JSON.parse(record);
  } else {
    const blocksFrom = (from: number): AsyncGenerator<FullBlock> =>
      prepared(from, (height, record) => readBlock({ height, hash: '', record }));
    await foldBlocks(state, blocksFrom, () => {});
  }
}

await pass();
clock = new CpuClock();
heights = new Set();
await pass();
report(clock.milliseconds, heights.size);
