import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../server/limits.js';
import { Problem } from '../../../server/problem.js';
import { LongAnswers } from '../../../server/quotas/long-answers.js';

const { long, longOfClient, waiting, waitingOfClient } = LIMITS.answers;
const isBusy = (error: unknown) => error instanceof Problem && error.code === 'unavailable' && error.retryAfter === 10;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a few long answers are made at a time, fewer of one client, and the next in line follows who leaves', async () => {
  const places = new LongAnswers();
  const order: string[] = [];
  const enter = async (client: string, name: string) => {
    const leave = await places.enter(client);
    order.push(name);
    return leave;
  };
  const first = await Promise.all(Array.from({ length: longOfClient.max }, (_, i) => enter('a', `a${i}`)));
  const third = enter('a', 'a-waits');
  const others = await Promise.all(
    Array.from({ length: long.max - longOfClient.max }, (_, i) => enter(`b${i}`, `b${i}`)),
  );
  const last = enter('c', 'c-waits');
  await settled();
  assert.equal(order.length, long.max);
  others[0]!();
  await last;
  assert.deepEqual(order.slice(long.max), ['c-waits'], 'the client in front has its share already');
  first[0]!();
  (await third)();
  assert.deepEqual(order.slice(long.max), ['c-waits', 'a-waits']);
});

test('who finds no place in time, or too many in the queue, is told to come again', async () => {
  const places = new LongAnswers(50);
  const held = await Promise.all(Array.from({ length: longOfClient.max }, () => places.enter('a')));
  const queued = Array.from({ length: waitingOfClient.max }, () => places.enter('a'));
  await assert.rejects(places.enter('a'), isBusy);
  for (const one of queued) await assert.rejects(one, isBusy);
  for (const leave of held) leave();
  for (const leave of await Promise.all(held.map(() => places.enter('a')))) leave();
});

test('the queue has an end for all clients, too', async () => {
  const places = new LongAnswers(50);
  for (let i = 0; i < long.max; i++) await places.enter(`a${i}`);
  const queued = Array.from({ length: waiting.max }, (_, i) => places.enter(`b${i}`));
  await assert.rejects(places.enter('c'), isBusy);
  assert.deepEqual(
    (await Promise.allSettled(queued)).filter(({ status }) => status === 'fulfilled'),
    [],
  );
});
