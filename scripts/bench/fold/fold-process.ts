/**
 * The blocks of a recording folded, or only parsed: <folder of the recording> <starting state> <last height> <fold|parse>.
 * Reading them from the disk and decoding transactions is not measured; what is, is processor time, in a second pass: a night
 * folds more blocks than a recording has, and V8 compiles what is used often while it is.
 */
import { pathToFileURL } from 'node:url';
import type { FullBlock } from '../../../pipeline/chain/block.js';
import { Recording } from '../../../pipeline/chain/nodes/recording.js';
import { readBlock } from '../../../pipeline/chain/read-blocks.js';
import { foldBlocks } from '../../../pipeline/holdings/fold-blocks.js';
import { loadStartingState } from '../../../pipeline/holdings/start/load-starting-state.js';
import { ProcessorClock, report } from '../measured.js';

/** Blocks that lie in memory at a time. */
const PART = 10;

const [folder, start, until, what] = process.argv.slice(2) as [string, string, string, 'fold' | 'parse'];
const recording = new Recording(pathToFileURL(folder).href);
let clock = new ProcessorClock();
let heights = new Set<number>();

/** What the clock is to measure gets a part of the records, prepared, while it stands still. */
async function* prepared<Value>(from: number, prepare: (height: number, record: string) => Value) {
  let part: Value[] = [];
  for await (const { height, record } of recording.records(from, Number(until))) {
    heights.add(height);
    part.push(prepare(height, record));
    if (part.length < PART) continue;
    yield* clock.running(part);
    part = [];
  }
  yield* clock.running(part);
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
