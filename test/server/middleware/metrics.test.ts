/** Metrics: every one of them is asked for, and says what requests, dataset, nights and nodes were. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { releasesFile } from '../../../pipeline/config.js';
import { writeLastNight } from '../../../pipeline/disk/last-night.js';
import { writeNextNight } from '../../../pipeline/disk/next-night.js';
import { startServer } from '../harness.js';
import { publish, WALLETS } from '../published.js';
import { readMetrics } from './read-metrics.js';

const HELD = '/api/tax/v1/events';
const CONTRACT = `/api/v1/codes?network=mainnet`;
const OLDER = { version: 'v1.0.0', date: '2020-01-01', cosmos_sdk: 'v0.50.0' };
const WATCH = {
  ...{ checked_at: '2026-06-01T00:00:00Z', succeeded_at: '2026-06-01T00:00:00Z', error: null, height: null },
  ...{ node_version: 'v999.0.0', cosmos_sdk: null, newest_release: OLDER.version, upstream: [OLDER] },
  pending_upgrade: null,
};

test('every metric moves by what it counts, and one of which nothing is known has no sample', async (t) => {
  const networks = { mainnet: ['http://127.0.0.1:9'] };
  const server = await startServer({ published: false, environment: { HUBLEDGER_NETWORKS: JSON.stringify(networks) } });
  t.after(() => server.close());
  const { dataDir, base } = server;
  const before = await readMetrics(base);

  const generation = await publish(dataDir, 1000, undefined, { unclassified: { fee: 2, EndBlock: 1 } });
  await server.datasets.refresh();
  writeLastNight(dataDir, {
    ...{ outcome: 'failed', began: '2026-06-01T00:00:00.000Z', ended: '2026-06-01T00:10:00.000Z' },
    ...{ generation: null, durations: { audit: 1500 }, error: 'an audit found a row' },
  });
  writeNextNight(dataDir, new Date('2026-06-02T00:20:00Z'));
  writeFileSync(releasesFile(dataDir), JSON.stringify(WATCH));
  const path = `${HELD}?address=${WALLETS.light}`;
  for (let n = 0; n < 4; n++) assert.equal((await server.ask(path)).status, 200);
  assert.equal((await server.ask(HELD)).status, 400);
  assert.equal((await fetch(`${base}/nothing/${'x'.repeat(60)}`)).status, 404);
  for (let n = 0; n < 6; n++) assert.ok((await fetch(base + CONTRACT)).status >= 500);
  const after = await readMetrics(base);

  const expected: Readonly<Record<string, number>> = {
    [`hubledger_requests_total{route="${HELD}",status="2xx"}`]: 4,
    [`hubledger_requests_total{route="${HELD}",status="4xx"}`]: 1,
    'hubledger_requests_total{route="none",status="4xx"}': 1, // a path of a stranger is no label
    [`hubledger_kept_responses_total{route="${HELD}"}`]: 2, // the second one is kept
    [`hubledger_request_seconds_count{route="${HELD}"}`]: 5,
    [`hubledger_request_seconds_bucket{le="+Inf",route="${HELD}"}`]: 5,
    [`hubledger_dataset_info{generation="${generation}"}`]: 1,
    hubledger_dataset_height: 1000,
    hubledger_dataset_age_seconds: 47.5 * 86_400,
    hubledger_dataset_holdings_until: 1000,
    hubledger_dataset_unclassified_rows: 3,
    hubledger_dataset_unpriced_legs: 0,
    'hubledger_dataset_days_without_price{denom="uatom"}': 8,
    hubledger_releases_unreviewed: 1,
    'hubledger_night_ended_seconds{outcome="failed"}': Date.parse('2026-06-01T00:10:00Z') / 1000,
    hubledger_night_due_seconds: Date.parse('2026-06-02T00:20:00Z') / 1000,
    'hubledger_night_step_seconds{step="audit"}': 1.5,
    'hubledger_upstream_nodes{network="mainnet",state="usable"}': 0,
    'hubledger_upstream_nodes{network="mainnet",state="failing"}': 1,
  };
  const found = Object.keys(expected).map((sample) => [sample, after.samples.get(sample)]);
  assert.deepEqual(Object.fromEntries(found), expected);
  const own = after.families.filter(({ name }) => name.startsWith('hubledger_'));
  const samplesOf = (name: string, { samples }: typeof after) =>
    [...samples].filter(([sample]) => sample.startsWith(name)).join('\n');
  for (const { name } of own) assert.notEqual(samplesOf(name, after), samplesOf(name, before), name);
  assert.deepEqual(
    [...before.samples.keys()].filter((name) => /^hubledger_(dataset|night|releases)_/.test(name)),
    [],
  );
});

/** Metrics of the process that may have no sample yet: of collections of garbage. */
const LATER = new Set(['nodejs_gc_duration_seconds']);

test("each of the process's own figures has a value", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  await wait(100); // the event loop's delay is that of turns since the last look
  const { families, samples } = await readMetrics(server.base);
  const own = families.map(({ name }) => name).filter((name) => /^(process|nodejs)_/.test(name) && !LATER.has(name));
  assert.ok(own.length > 20);
  for (const name of own) {
    const values = [...samples].filter(([sample]) => sample.startsWith(name)).map(([, value]) => value);
    assert.ok(values.length > 0 && values.every((value) => Number.isFinite(value)), name);
  }
});

test('a port of their own takes them from the service', async () => {
  const probe = await startServer();
  const { port } = probe;
  await probe.close();
  const aside = await startServer({ environment: { HUBLEDGER_METRICS_PORT: String(port) } });
  try {
    const { samples } = await readMetrics(`http://127.0.0.1:${port}`);
    assert.equal(samples.get('hubledger_dataset_height'), 1000);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 404);
    assert.equal((await fetch(`${aside.base}/metrics`)).status, 404);
  } finally {
    await aside.close();
  }
});
