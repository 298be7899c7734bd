/** An overloaded server refuses what is new at once, says how it is, and comes back by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint } from '../../../server/endpoint.js';
import { nextTurn } from '../../../server/http/event-loop.js';
import { sharedServer } from '../harness.js';
import { readMetrics, sampleSum } from '../middleware/read-metrics.js';

const BOUNDS = { turns: 20, delayMs: 100, everyMs: 50 };

/** Answers of the endpoint /work that are being made; they go on until this says so. */
let working = 0;
let isOver = false;

const work: Endpoint = {
  kind: 'dataset',
  method: 'GET',
  path: '/work',
  summary: 'Works.',
  parameters: [],
  response: 'text',
  policy: 'none',
  volatile: true,
  async handle() {
    working++;
    while (!isOver) await nextTurn();
    return { text: 'done', type: 'text/plain; charset=utf-8' };
  },
};

const server = sharedServer({ endpoints: [work], overload: BOUNDS });

/** Requires that a request is refused as it is under overload. */
async function requireRefused(path: string): Promise<void> {
  const answer = await server.ask(path);
  const { code, retry_after } = answer.json<{ code: string; retry_after: number }>();
  assert.deepEqual([answer.status, code, retry_after], [503, 'unavailable', 5]);
  assert.equal(answer.headers.get('retry-after'), '5');
  assert.notEqual(answer.headers.get('x-request-id'), null);
}

/** Asks until a request has this status. */
async function untilStatus(path: string, status: number): Promise<void> {
  while ((await fetch(server.base + path).then((answer) => answer.text().then(() => answer.status))) !== status)
    await wait(20);
}

test('with too many answers under way new requests are refused, and those that have begun are answered', async () => {
  await server.ask('/llms.txt'); // reads the contract
  const underWay = Array.from({ length: BOUNDS.turns }, () => server.ask('/work'));
  while (working < BOUNDS.turns) await wait(5);
  await requireRefused('/work');
  await requireRefused('/nowhere');
  for (const path of ['/healthz', '/readyz']) assert.equal((await server.ask(path)).status, 200, path);
  assert.ok(
    sampleSum(await readMetrics(server.base), 'hubledger_request_seconds_count', { route: 'none', status: '5xx' })! >=
      2,
  );
  isOver = true;
  for (const answer of await Promise.all(underWay)) assert.equal(answer.status, 200);
  await untilStatus('/work', 200);
});

test('while the event loop is late new requests are refused', async () => {
  const hold = setInterval(() => {
    const until = performance.now() + 3 * BOUNDS.delayMs;
    while (performance.now() < until);
  }, 1);
  try {
    await untilStatus('/work', 503);
    assert.equal((await server.ask('/healthz')).status, 200);
  } finally {
    clearInterval(hold);
  }
  await untilStatus('/work', 200);
  assert.ok(server.log.some(({ level, msg }) => level === 40 && /overloaded/.test(String(msg))));
});
