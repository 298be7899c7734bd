/** The observer in the process of a server under attack, loaded before the program: it tells what it has seen to who asks over the channel. */
import { isMainThread } from 'node:worker_threads';
import { type MemoryTold, watchMemory } from './memory.js';
import { watchTurns } from './turns.js';

/** Figures since the last question. */
export interface Observed {
  /** Processor time of the longest turn of the event loop, in milliseconds. */
  readonly turnMs: number;
  readonly memory: MemoryTold;
}

function observe(): void {
  const turnMs = watchTurns();
  const memory = watchMemory();
  process.on('message', () => process.send!({ turnMs: turnMs(), memory: memory() } satisfies Observed));
  process.channel!.unref(); // the program ends as it does without being asked
}

if (isMainThread && process.send) observe();
