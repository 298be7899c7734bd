/** Metrics: every one of them is asked for, and says what requests, dataset, nights and nodes were. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer } from '../../harness.js';
import { freePort } from '../../processes/free-port.js';
import { type EventfulServer, HELD, startEventfulServer } from './eventful-server.js';
import { type MetricsText, readMetrics, type Sample, sampleSum } from './read-metrics.js';

let eventful: EventfulServer;
before(async () => {
  eventful = await startEventfulServer();
});
after(() => eventful.server.close());

test('a metric says what has happened', () => {
  const { generation } = eventful;
  const expected: readonly [name: string, value: number, labels?: Sample['labels']][] = [
    ['hubledger_request_seconds_count', 4, { route: HELD, status: '2xx' }],
    ['hubledger_request_seconds_count', 1, { route: HELD, status: '4xx' }],
    ['hubledger_request_seconds_count', 1, { route: 'none', status: '4xx' }], // a path of a stranger is no label
    ['hubledger_request_seconds_count', 6, { status: '5xx' }],
    ['hubledger_request_seconds_count', 2, { route: HELD, kept: 'yes' }], // the second one is kept
    ['hubledger_request_seconds_count', 5, { route: HELD }],
    ['hubledger_request_seconds_bucket', 5, { route: HELD, le: '+Inf' }],
    ['hubledger_dataset_info', 1, { generation }],
    ['hubledger_dataset_height', 1000],
    ['hubledger_dataset_age_seconds', 47.5 * 86_400],
    ['hubledger_dataset_holdings_until', 1000],
    ['hubledger_dataset_wallets', 1, { state: 'incomplete' }],
    ['hubledger_dataset_wallets', 0, { state: 'proved' }],
    ['hubledger_dataset_unclassified_rows', 3],
    ['hubledger_dataset_unpriced_legs', 0],
    ['hubledger_dataset_days_without_price', 8, { denom: 'uatom' }],
    ['hubledger_releases_unreviewed', 1],
    ['hubledger_night_ended_seconds', Date.parse('2026-06-01T00:10:00Z') / 1000, { outcome: 'failed' }],
    ['hubledger_night_due_seconds', Date.parse('2026-06-02T00:20:00Z') / 1000],
    ['hubledger_verify_ended_seconds', Date.parse('2026-05-31T03:30:00Z') / 1000, { outcome: 'differs' }],
    ['hubledger_night_step_seconds', 1.5, { step: 'audit' }],
    ['hubledger_upstream_nodes', 0, { network: 'mainnet', state: 'usable' }],
    ['hubledger_upstream_nodes', 1, { network: 'mainnet', state: 'failing' }],
  ];
  for (const [name, value, labels] of expected) assert.equal(sampleSum(eventful.after, name, labels), value, name);
});

const samplesOf = (family: string, { samples }: MetricsText) => samples.filter(({ name }) => name.startsWith(family));

test('every metric of the service moves', () => {
  const own = eventful.after.families.filter((name) => name.startsWith('hubledger_'));
  assert.ok(own.length > 10);
  for (const name of own) {
    assert.notDeepEqual(samplesOf(name, eventful.after), samplesOf(name, eventful.before), name);
  }
});

test('a metric of which nothing is known has no sample', () => {
  for (const name of eventful.before.families) {
    if (/^hubledger_(dataset|night|verify|releases)_/.test(name))
      assert.deepEqual(samplesOf(name, eventful.before), [], name);
  }
});

test("each of the process's own figures has a value", () => {
  const own = eventful.after.families.filter((name) => /^(process|nodejs)_/.test(name));
  assert.ok(own.length > 20);
  for (const name of own) {
    if (name === 'nodejs_gc_duration_seconds') continue; // there may have been no collection yet
    const found = samplesOf(name, eventful.after);
    assert.ok(found.length > 0 && found.every(({ value }) => Number.isFinite(value)), name);
  }
});

test('without a port of their own they are for this machine alone', async (t) => {
  const behind = await startServer({ environment: { HUBLEDGER_TRUSTED_HOPS: '1' } });
  t.after(() => behind.close());
  const statuses = [200, 200, 404, 404, 404];
  for (const from of [undefined, '127.0.0.1', '203.0.113.7', '127.0.0.1, 203.0.113.7', 'localhost']) {
    const headers = new Headers(from === undefined ? {} : { 'X-Forwarded-For': from });
    const answer = await fetch(`${behind.base}/metrics`, { headers });
    assert.equal(answer.status, statuses.shift(), from);
    if (answer.status === 404) assert.match(await answer.text(), /route_not_found/);
  }
  const posted = await fetch(`${behind.base}/metrics`, {
    method: 'POST',
    headers: { 'X-Forwarded-For': '203.0.113.7' },
  });
  assert.equal(posted.status, 404);
  assert.equal((await fetch(`${eventful.server.base}/metrics`, { headers: { 'X-Forwarded-For': 'x' } })).status, 200);
});

test('a port of their own takes them from the service', async () => {
  const port = await freePort();
  const aside = await startServer({ environment: { HUBLEDGER_METRICS_PORT: String(port) } });
  try {
    assert.equal(sampleSum(await readMetrics(`http://127.0.0.1:${port}`), 'hubledger_dataset_height'), 1000);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 404);
    assert.equal((await fetch(`${aside.base}/metrics`)).status, 404);
  } finally {
    await aside.close();
  }
});
