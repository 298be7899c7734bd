/**
 * A measured process that folds the blocks of a recording, or only parses them: <folder of the recording> <starting state>
 * <last height> <fold|parse>. It measures processor time without reading from the disk and decoding transactions, in a second pass: a
 * night folds more blocks than a recording has, and V8 compiles what is used often while it is.
 */
import { pathToFileURL } from 'node:url';
import type { FullBlock } from '../../../pipeline/chain/block.js';
import { Recording } from '../../../pipeline/chain/nodes/recording.js';
import { readBlock } from '../../../pipeline/chain/read-blocks.js';
import { foldBlocks } from '../../../pipeline/holdings/fold-blocks.js';
import { loadStartingState } from '../../../pipeline/holdings/start/load-starting-state.js';
import { ProcessorClock, report } from '../measured.js';

/** Blocks that lie in memory at a time. */
const BATCH_BLOCKS = 10;

const [folder, start, until, what] = process.argv.slice(2) as [string, string, string, 'fold' | 'parse'];
const recording = new Recording(pathToFileURL(folder).href);
let clock = new ProcessorClock();
let heights = new Set<number>();

/** Prepares the records batch by batch while the clock stands still, and lets it run while a batch is used. */
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
clock = new ProcessorClock();
heights = new Set();
await pass();
report(clock.milliseconds, heights.size);
