/** Long work in small steps, which leaves other requests their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in milliseconds that one answer may keep the others waiting, as long as its steps are short. */
const TURN_MS = 10;

/** Runs work that stops between its steps to its end. @returns what it returns */
export async function inTurns<Result>(work: Iterator<unknown, Result, undefined>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
