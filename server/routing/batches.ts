/** Texts that are made in many small steps, joined to batches that are worth a write. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const BATCH_CHARACTERS = 32 * 1024;
/** Longest time in milliseconds that one answer may keep the others waiting, as long as its steps are short. */
const TURN_MS = 10;

/** A source that is never waited for would hold the event loop: between its steps others get their turn. */
export async function* batches(chunks: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void> {
  let text = '';
  let turnBegan = performance.now();
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length >= BATCH_CHARACTERS) {
      yield text;
      text = '';
    }
    if (performance.now() - turnBegan > TURN_MS) {
      await nextTurn();
      turnBegan = performance.now();
    }
  }
  if (text !== '') yield text;
}
