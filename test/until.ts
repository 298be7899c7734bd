/** Waits for what another process, a thread or a timer will do. The limit only ends a run that would never end. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const MAX_MS = 180_000;
const POLL_MS = 20;

/** @param what condition, for the error message */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + MAX_MS; !(await holds()); await wait(POLL_MS)) {
    assert.ok(performance.now() < end, `not within ${MAX_MS / 1000} s: ${what}`);
  }
}

/** Waits until `read` returns `expected`. */
export async function becomes<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  for (const end = performance.now() + MAX_MS; ; await wait(POLL_MS)) {
    const value = await read();
    if (isDeepStrictEqual(value, expected)) return;
    if (performance.now() >= end) assert.deepEqual(value, expected);
  }
}

/** A promise that the test itself resolves. */
export class Signal {
  give = () => {};
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}
