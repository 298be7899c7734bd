import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns, joinTexts, nextTurn } from '../../../server/http/event-loop.js';

/** Holds the event loop, by default for longer than a turn. */
function hold(ms = 3): void {
  const until = performance.now() + ms;
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

test('pieces of work behind one another share a turn, however short each is', async () => {
  function* wallet(): Generator<undefined, void, undefined> {
    hold(1.5);
    yield;
  }
  let rounds = 0;
  let isOver = false;
  const round = () => {
    rounds++;
    if (!isOver) setImmediate(round);
  };
  setImmediate(round);
  for (let i = 0; i < 20; i++) await inTurns(wallet());
  isOver = true;
  assert.ok(rounds >= 5, `${rounds} rounds for 20 pieces`);
});

/** Most of those who waited for their turn that went on in one round of the event loop. */
async function mostInARound(goOn: () => void): Promise<number> {
  let inRound = 0;
  let most = 0;
  let isOver = false;
  const round = () => {
    inRound = 0;
    if (!isOver) setImmediate(round);
  };
  const wait = async () => {
    await nextTurn();
    inRound++;
    most = Math.max(most, inRound);
    goOn();
  };
  round();
  await Promise.all(Array.from({ length: 20 }, wait));
  isOver = true;
  return most;
}

test('who waits goes on in one round with others as long as these are short', async (t) => {
  assert.ok((await mostInARound(hold)) <= 2);
  t.mock.method(performance, 'now', () => 0); // however busy the machine is, no time passes
  assert.equal(await mostInARound(() => {}), 20);
});

test('a text that is made at once waits for nobody', async (t) => {
  t.mock.method(performance, 'now', () => 0); // however busy the machine is, no time passes
  let rounds = 0;
  setImmediate(() => rounds++);
  const texts = [];
  for await (const text of joinTexts(['[', '1', ']'])) texts.push(text);
  assert.deepEqual([texts, rounds], [['[1]'], 0]);
});
