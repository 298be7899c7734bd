/** The judgement of a state: one line per fault; a service without faults is healthy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../../scripts/status/judge.js';
import type { DatasetState, ServiceState } from '../../../scripts/status/service-state.js';

const DATASET: DatasetState = {
  generation: 'h9-0123456789ab',
  in_force_since: '2026-06-01T00:30:00.000Z',
  height: 9,
  time: '2026-06-01T00:00:00Z',
  age_seconds: 3600,
  index_start: '2026-01-01',
  holdings_from: 1,
  holdings_until: 9,
  holdings_stop: null,
  wallets: null,
  missing_blocks: 0,
  unclassified_rows: 0,
  unreviewed_moves: 0,
  unreached_days: 0,
  days_without_price: { uatom: 0 },
  last_rate_day: '2026-05-29',
  restatements: [],
  not_compared: [],
  other_versions: [],
};
const SOUND: ServiceState = {
  checked_at: '2026-06-01T01:00:00.000Z',
  data_dir: 'data',
  follows_node: true,
  dataset: DATASET,
  last_night: null,
  running_night: null,
  next_night: '2026-06-02T00:20:00.000Z',
  last_verify: null,
  price_sources: null,
  rate_sources: null,
  queue: null,
  store: null,
  releases: null,
  disk: { free_bytes: 50, total_bytes: 100 },
  server: { url: 'http://127.0.0.1:8080', status: 200, generation: DATASET.generation, error: null },
};
const RELEASES = {
  ...{ stale: false, node_version: 'v1.0.0', newest_release: 'v1.0.0', latest_reviewed: 'v1.0.0' },
  ...{ pending_upgrade: null, all_reviewed: true },
};
const VERIFY = { outcome: 'agrees', ended: SOUND.checked_at, generation: DATASET.generation, error: null } as const;
const failed = (error: string | null) => ({
  ...{ outcome: 'failed' as const, began: SOUND.checked_at, ended: SOUND.checked_at },
  ...{ generation: null, durations: {}, error },
});
const silent = (nights: number, failure: string | null) => ({
  silent_nights: Array.from({ length: nights }, (_, i) => `2026-05-${20 + i}`),
  ...{ last_quote: null, failure, unlisted: [] },
});
const dataset = (more: Partial<DatasetState>) => ({ dataset: { ...DATASET, ...more } });
const stop = { height: 6, day: '2026-05-30', reason: 'supply\u202e differs' };

test('a healthy service has no findings, also without a schedule and a server', () => {
  for (const more of [
    {},
    { last_verify: VERIFY },
    { queue: { workers: 0, waiting: 0, active: 0 } },
    { rate_sources: { 'bank.csv': { failed_nights: [], failure: null } } },
    { queue: { workers: 1, waiting: 2, active: 1 } },
    { next_night: null, server: null, disk: null, releases: RELEASES },
  ]) {
    assert.deepEqual(judge({ ...SOUND, ...more }), { faults: [], warnings: [] });
  }
});

test('faults', () => {
  const cases: [Partial<ServiceState>, string][] = [
    [{ dataset: null }, 'nothing is published: run ./hubledger nightly'],
    [{ dataset: { error: 'it is damaged' } }, 'it is damaged'],
    [
      dataset({ age_seconds: 36 * 3600 + 1 }),
      'the last block is 36 hours old, more than 36: nightly runs do not publish newer ones',
    ],
    [
      dataset({ other_versions: ['methodology 1, not 2'] }),
      'the dataset was made under methodology 1, not 2: run ./hubledger nightly',
    ],
    [dataset({ holdings_until: 5, holdings_stop: stop }), 'holdings end at height 5: "supply\\u{202e} differs"'],
    [
      dataset({
        wallets: [
          { address: 'cosmos1a', state: 'incomplete', missing: ['1 ATOM of receipts are missing'], unconfirmed: [] },
          { address: 'cosmos1b', state: 'derived', missing: [], unconfirmed: [] },
        ],
      }),
      'cosmos1a is incomplete: 1 ATOM of receipts are missing',
    ],
    [{ last_night: failed('no node\nanswers') }, 'the last nightly run failed: "no node\\nanswers"'],
    [
      { last_verify: { ...VERIFY, outcome: 'differs', error: 'balances of a differ' } },
      'holdings differ from the node\'s: "balances of a differ"',
    ],
    [{ last_night: failed(null) }, 'the last nightly run failed: "no reason recorded"'],
    [
      { next_night: '2026-06-01T00:20:00.000Z' },
      'the nightly run of 2026-06-01T00:20:00.000Z did not start: check ./hubledger schedule',
    ],
    [{ queue: { error: 'the queue does not answer' } }, 'the queue does not answer'],
    [{ store: { url: 's3://a', error: 'AWS does not answer' } }, 'AWS does not answer'],
    [{ server: { url: '', status: 503, generation: null, error: null } }, 'the server answers 503'],
    [
      { server: { url: '', status: 503, generation: null, error: 'no dataset yet' } },
      'the server answers 503: no dataset yet',
    ],
  ];
  for (const [more, fault] of cases) assert.deepEqual(judge({ ...SOUND, ...more }).faults, [fault]);
});

test('a recording is never too old, a dataset may have no holdings, a running night is not late', () => {
  const fine: Partial<ServiceState>[] = [
    { follows_node: false, ...dataset({ age_seconds: 1e9 }) },
    dataset({ age_seconds: 36 * 3600 }),
    dataset({ last_rate_day: '2026-05-25' }),
    dataset({ last_rate_day: null }),
    dataset({ holdings_from: null, holdings_until: null }),
    { next_night: '2026-06-01T00:20:00.000Z', running_night: 'process 1 on host' },
    { next_night: '2026-06-01T00:50:00.000Z' },
    { server: { url: '', status: null, generation: null, error: null } },
  ];
  for (const more of fine) assert.deepEqual(judge({ ...SOUND, ...more }).faults, []);
});

test('warnings', () => {
  const cases: [Partial<ServiceState>, string][] = [
    [dataset({ missing_blocks: 3 }), '3 blocks are missing in the index'],
    [dataset({ unclassified_rows: 2 }), '2 rows are not classified'],
    [
      { last_verify: { ...VERIFY, outcome: 'failed', error: 'no node answers' } },
      'holdings were not compared with a node: "no node answers"',
    ],
    [
      dataset({ days_without_price: null }),
      'the wallet index cannot be read: start the server, or run ./hubledger nightly',
    ],
    [
      dataset({ last_rate_day: '2026-05-24' }),
      'the last exchange rates are those of 2026-05-24, so later values in other currencies are missing',
    ],
    [dataset({ days_without_price: { uatom: 1, other: 0 } }), 'prices of some days are missing'],
    [dataset({ unreached_days: 2 }), 'no market could be reached for prices of 2 days; the next run asks again'],
    [
      { price_sources: { bybit: silent(3, null), kraken: silent(2, 'kraken is out of service (HTTP 503)') } },
      'the price source bybit has given nothing for 3 nights: it answered without prices',
    ],
    [
      { price_sources: { kraken: silent(4, 'kraken is out of service (HTTP 503)') } },
      'the price source kraken has given nothing for 4 nights: "kraken is out of service (HTTP 503)"',
    ],
    [
      { rate_sources: { 'bank.csv': { failed_nights: ['2026-05-31'], failure: 'line 3: "x" is not a rate' } } },
      'nothing of the exchange rates of bank.csv could be used in the last nightly run: "line 3: \\"x\\" is not a rate"',
    ],
    [
      { rate_sources: { 'a.example': { failed_nights: ['2026-05-30', '2026-05-31'], failure: 'HTTP 503' } } },
      'nothing of the exchange rates of a.example could be used for 2 nights: "HTTP 503"',
    ],
    [{ server: { url: '', status: 200, generation: 'h8-0', error: null } }, 'the server serves h8-0'],
    [
      { server: { url: '', status: 200, generation: DATASET.generation, error: 'CURRENT is damaged' } },
      'the server cannot take over its upstream\'s dataset: "CURRENT is damaged"',
    ],
    [{ queue: { workers: 0, waiting: 2, active: 0 } }, 'jobs wait, but no worker is connected'],
    [{ disk: { free_bytes: 9, total_bytes: 100 } }, 'the disk is nearly full'],
    [
      { releases: { ...RELEASES, all_reviewed: false } },
      'a release or an upgrade is not reviewed: look for a newer hubledger',
    ],
    [{ releases: { ...RELEASES, stale: true } }, 'release data is stale: run ./hubledger watch-releases'],
  ];
  for (const [more, warning] of cases) {
    assert.deepEqual(judge({ ...SOUND, ...more }), { faults: [], warnings: [warning] });
  }
});
