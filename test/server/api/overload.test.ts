/** An overloaded server refuses what is new at once, says how it is, and comes back by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { startServer, type TestServer } from '../harness.js';
import { readMetrics, sampleSum } from './middleware/read-metrics.js';

const CROWD = 20;
const DELAY_MS = 100;

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
    while (!isOver) await wait(5);
    return { text: 'done', type: 'text/plain; charset=utf-8' };
  },
};

/** Waits until something is so; a slow machine may take a while. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await wait(20)) assert.ok(Date.now() < end, 'it never is');
}

const untilStatus = ({ base }: TestServer, status: number) =>
  until(async () => {
    const answer = await fetch(`${base}/work`);
    await answer.text();
    return answer.status === status;
  });

/** Keeps the event loop late. @returns a function that ends it */
function keepLate(): () => void {
  const hold = setInterval(() => {
    const end = performance.now() + 3 * DELAY_MS;
    while (performance.now() < end);
  }, 1);
  return () => clearInterval(hold);
}

test('a late server with a crowd under way refuses new requests, and answers those that have begun', async (t) => {
  const server = await startServer({
    endpoints: [work],
    overload: { delayMs: DELAY_MS, crowd: CROWD, everyMs: 50 },
  });
  t.after(() => server.close());
  await server.ask('/llms.txt'); // reads the contract
  const underWay = Array.from({ length: CROWD }, () => server.ask('/work'));
  await until(() => working === CROWD);
  const end = keepLate();
  try {
    for (const path of ['/nowhere', '/other']) {
      let answer = await server.ask(path);
      await until(async () => {
        if (answer.status !== 503) answer = await server.ask(path);
        return answer.status === 503;
      });
      const { code, retry_after } = answer.json<{ code: string; retry_after: number }>();
      assert.deepEqual([answer.status, code, retry_after], [503, 'unavailable', 5], path);
      assert.equal(answer.headers.get('retry-after'), '5');
      assert.notEqual(answer.headers.get('x-request-id'), null);
    }
    for (const path of ['/healthz', '/readyz']) assert.equal((await server.ask(path)).status, 200, path);
    const refused = { route: 'none', status: '5xx' };
    assert.ok(sampleSum(await readMetrics(server.base), 'hubledger_request_seconds_count', refused)! >= 2);
  } finally {
    end();
    isOver = true;
  }
  for (const answer of await Promise.all(underWay)) assert.equal(answer.status, 200);
  await untilStatus(server, 200);
});

test('while the event loop is late new requests are refused', async (t) => {
  isOver = true;
  const server = await startServer({
    endpoints: [work],
    overload: { delayMs: DELAY_MS, crowd: 0, everyMs: 50 },
  });
  t.after(() => server.close());
  await server.ask('/healthz'); // reads the contract
  const end = keepLate();
  try {
    await untilStatus(server, 503);
    assert.equal((await server.ask('/healthz')).status, 200);
  } finally {
    end();
  }
  await untilStatus(server, 200);
  assert.ok(server.log.some(({ level, msg }) => level === 40 && /overloaded/.test(String(msg))));
});

test('while the event loop is late a few requests are answered all the same', async (t) => {
  isOver = true;
  const server = await startServer({
    endpoints: [work],
    overload: { delayMs: 0, crowd: 10, everyMs: 10 },
  });
  t.after(() => server.close());
  const hold = setInterval(() => {
    const end = performance.now() + 50;
    while (performance.now() < end);
  }, 1);
  try {
    for (let i = 0; i < 20; i++) assert.equal((await server.ask('/work')).status, 200);
  } finally {
    clearInterval(hold);
  }
});
