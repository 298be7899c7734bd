/** Metrics: every one of them is asked for once, and says what requests, dataset and night were. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { writeLastNight } from '../../../pipeline/disk/last-night.js';
import { startServer, type TestServer } from '../harness.js';
import { WALLETS } from '../published.js';

const HELD = '/api/tax/v1/events';
let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

/** The samples by name and labels. */
async function samples(base = server.base): Promise<Map<string, number>> {
  const response = await fetch(`${base}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^application\/openmetrics-text; version=1\.0\.0/);
  const text = await response.text();
  assert.ok(text.endsWith('# EOF\n'));
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

test('requests are counted by endpoint and class of status, and how many the response cache answered', async () => {
  const path = `${HELD}?address=${WALLETS.light}`;
  for (let n = 0; n < 4; n++) assert.equal((await server.ask(path)).status, 200);
  assert.equal((await server.ask(HELD)).status, 400);
  assert.equal((await fetch(`${server.base}/nothing/${'x'.repeat(60)}`)).status, 404);
  const found = await samples();
  assert.equal(found.get(`hubledger_requests_total{route="${HELD}",status="2xx"}`), 4);
  assert.equal(found.get(`hubledger_requests_total{route="${HELD}",status="4xx"}`), 1);
  assert.equal(found.get('hubledger_requests_total{route="none",status="4xx"}'), 1, 'a path of a stranger is no label');
  assert.equal(found.get(`hubledger_kept_responses_total{route="${HELD}"}`), 2, 'the second one is kept');
  assert.equal(found.get(`hubledger_request_seconds_count{route="${HELD}"}`), 5);
  assert.equal(found.get(`hubledger_request_seconds_bucket{le="+Inf",route="${HELD}"}`), 5);
});

test('the dataset, the nodes, the process and the last night', async () => {
  assert.equal([...(await samples()).keys()].filter((name) => name.startsWith('hubledger_night_')).length, 0);
  writeLastNight(server.dataDir, {
    outcome: 'failed',
    began: '2026-06-01T00:00:00.000Z',
    ended: '2026-06-01T00:10:00.000Z',
    generation: null,
    durations: { audit: 1500 },
    error: 'an audit found a row',
  });
  const found = await samples();
  assert.equal(found.get('hubledger_dataset_height'), 1000);
  assert.ok(found.get('hubledger_dataset_age_seconds')! > 0);
  assert.equal(found.get('hubledger_dataset_holdings_until'), 1000);
  assert.equal(found.get('hubledger_dataset_unclassified_rows'), 0);
  assert.equal(found.get('hubledger_dataset_unpriced_legs'), 0);
  assert.equal([...found.keys()].filter((name) => /^hubledger_dataset_info\{generation="h1000-/.test(name)).length, 1);
  assert.equal(found.get('hubledger_night_ended_seconds{outcome="failed"}'), Date.parse('2026-06-01T00:10:00Z') / 1000);
  assert.equal(found.get('hubledger_night_step_seconds{step="audit"}'), 1.5);
  assert.ok(found.get('hubledger_upstream_nodes{network="mainnet",state="usable"}')! > 0);
  for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes'])
    assert.ok(found.get(name)! >= 0, name);
});

test('a port of their own takes them from the service', async () => {
  const probe = await startServer();
  const { port } = probe;
  await probe.close();
  const aside = await startServer({ environment: { HUBLEDGER_METRICS_PORT: String(port) } });
  try {
    assert.equal((await samples(`http://127.0.0.1:${port}`)).get('hubledger_dataset_height'), 1000);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 404);
    assert.equal((await fetch(`${aside.base}/metrics`)).status, 404);
  } finally {
    await aside.close();
  }
});
