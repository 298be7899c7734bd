/**
 * A measured process that folds generated blocks, or only parses them: <size as JSON> <blocks> <fold|parse>. The starting
 * state is made in memory. The cost of generating the blocks is not measured.
 */
import type { FullBlock } from '../../../pipeline/chain/block.js';
import { serializeState } from '../../../pipeline/holdings/checkpoint.js';
import { foldBlocks } from '../../../pipeline/holdings/fold-blocks.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { StartingState } from '../../../pipeline/holdings/start/starting-state.js';
import type { HoldingsState } from '../../../pipeline/holdings/state.js';
import { JsonItem } from '../../../pipeline/holdings/values/json-item.js';
import { ProcessorClock, report } from '../measured.js';
import { GeneratedChain } from './generated-chain.js';
import { eachExported } from './generated-export.js';
import type { Size } from './generated-size.js';

/** Blocks that lie in memory at a time. */
const BATCH_BLOCKS = 10;

const [sizeText, blocks, what] = process.argv.slice(2) as [string, string, 'fold' | 'parse'];
const size: Size = JSON.parse(sizeText);

/** Makes the starting state, without accounts: the fold knows none. */
function openInMemory(): HoldingsState {
  const starting = new StartingState(sha256);
  eachExported({ ...size, accounts: 0 }, (path, value) => starting.readers[path]?.(new JsonItem(path, value)));
  return starting.open();
}

/** Gives all blocks, prepared batch by batch while the clock stands still. */
function* prepared<Value>(clock: ProcessorClock, prepare: (block: FullBlock) => Value): Generator<Value> {
  const chain = new GeneratedChain(size);
  for (let done = 0; done < Number(blocks); done += BATCH_BLOCKS) {
    const length = Math.min(BATCH_BLOCKS, Number(blocks) - done);
    yield* clock.running(Array.from({ length }, () => prepare(chain.nextBlock())));
  }
}

const clock = new ProcessorClock();
if (what === 'parse') {
  for (const text of prepared(clock, (block) => JSON.stringify(block))) JSON.parse(text);
  report(clock.milliseconds, Number(blocks));
} else {
  const state = openInMemory();
  // A night's blocks are parsed text, whose strings cost more than those that were just put together.
  const parsed = (block: FullBlock): FullBlock => JSON.parse(JSON.stringify(block));
  await foldBlocks(
    state,
    () => prepared(clock, parsed),
    () => {},
  );
  let lines = 0;
  for (const _ of serializeState(state)) lines++;
  if (lines < size.delegations) throw new Error(`a checkpoint of ${lines} lines`);
  report(clock.milliseconds, Number(blocks));
}
