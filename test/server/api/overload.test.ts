/** A server that has no place for a request refuses it with a problem, answers its supervisors, and recovers by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { Signal, until } from '../../until.js';
import { startServer } from '../harness.js';
import { readMetrics, sampleSum } from './middleware/read-metrics.js';

const finish = new Signal();
let working = 0;

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
    await finish.given;
    return { text: 'done', type: 'text/plain; charset=utf-8' };
  },
};

test('a request without a place gets 503 with the time to wait, and later its answer', async (t) => {
  const server = await startServer({ endpoints: [work], requests: { running: 2, waiting: 0 } });
  t.after(() => server.close());
  await server.ask('/llms.txt'); // reads the contract
  const answers = [server.ask('/work'), server.ask('/work')];
  await until(() => working === 2, 'both work');
  const refused = await fetch(`${server.base}/work`, { headers: { 'x-request-id': 'request-0001' } });
  const { code, retry_after, request_id } = (await refused.json()) as Record<string, unknown>;
  assert.deepEqual([refused.status, code, retry_after, request_id], [503, 'unavailable', 5, 'request-0001']);
  assert.equal(refused.headers.get('retry-after'), '5');
  for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(server.base + path)).status, 200, path);
  const counted = { route: 'none', status: '5xx' };
  assert.equal(sampleSum(await readMetrics(server.base), 'hubledger_request_seconds_count', counted), 1);
  await until(
    () => server.log.some(({ level, msg }) => level === 40 && /overloaded/.test(String(msg))),
    'a line says so',
  );
  finish.give();
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
  await until(async () => (await fetch(`${server.base}/work`)).status === 200, 'it recovers');
});
