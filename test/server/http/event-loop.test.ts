import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from '../../../server/http/event-loop.js';

/** Holds the event loop for longer than a turn. */
function hold(): void {
  const until = performance.now() + 3;
  while (performance.now() < until);
}

test('of all long work one piece goes on in each round of the event loop', async () => {
  let steps = 0;
  let most = 0;
  let isOver = false;
  const round = () => {
    most = Math.max(most, steps);
    steps = 0;
    if (!isOver) setImmediate(round);
  };
  function* work(): Generator<undefined, number, undefined> {
    for (let i = 0; i < 5; i++) {
      steps++;
      hold();
      yield;
    }
    return 5;
  }
  const begun = [];
  for (let i = 0; i < 10; i++) {
    begun.push(inTurns(work()));
    await new Promise(setImmediate);
  }
  steps = 0;
  round();
  const results = await Promise.all(begun);
  isOver = true;
  assert.deepEqual(results, new Array(10).fill(5));
  assert.ok(most <= 2, `${most} steps in one round`);
});
