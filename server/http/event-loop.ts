/** The event loop, shared: long work is done in small steps, and leaves other requests their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time that one answer may hold the event loop, as long as its steps are short. */
const HELD_MS_MAX = 2;

/** Runs work that stops between its steps to its end. @returns what it returns */
export async function inTurns<Result>(work: Iterator<unknown, Result, undefined>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - began < HELD_MS_MAX) continue;
    await nextTurn();
    began = performance.now();
  }
}

const BATCH_CHARACTERS = 32 * 1024;

/** Joins texts that are made in many small steps to batches that are worth a write. */
export async function* joinTexts(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void> {
  const steps = Symbol.iterator in texts ? texts[Symbol.iterator]() : texts[Symbol.asyncIterator]();
  let batch = '';
  let began = performance.now();
  try {
    for (;;) {
      const next = steps.next();
      const step = next instanceof Promise ? await next : next; // to wait for each of a few texts costs more than they do
      if (step.done) break;
      batch += step.value;
      if (batch.length >= BATCH_CHARACTERS) {
        yield batch;
        batch = '';
      }
      if (performance.now() - began < HELD_MS_MAX) continue;
      await nextTurn(); // a source that is never waited for would hold the event loop
      began = performance.now();
    }
  } finally {
    await steps.return?.();
  }
  if (batch !== '') yield batch;
}
