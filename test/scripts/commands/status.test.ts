/** `hubledger status` beside a server and a night, and on an empty folder. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeLock } from '../../../pipeline/base/disk/lock.js';
import { type LastNight, lastNight, nextNight } from '../../../pipeline/base/disk/run-records.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { startServer } from '../../server/harness.js';
import { generationOf, publish } from '../../server/published.js';
import { loadedBy } from '../loaded-modules.js';
import { runBeside } from '../run-program.js';

const NOW = '2026-04-14T14:00:00Z';
const NIGHT: LastNight = {
  outcome: 'published',
  began: '2026-04-14T00:20:00.000Z',
  ended: '2026-04-14T00:24:00.000Z',
  generation: generationOf(1000),
  durations: { 'index and fold': 61_400, audit: 1500 },
  error: null,
};

const STOP = { height: 901, day: '2026-04-01', reason: 'supply differs' };

/** Returns names and times of all files in a folder. */
const looks = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => [name, statSync(join(folder, name)).isFile() && statSync(join(folder, name)).mtimeMs]);

test('beside a server and a night it reads the state and changes nothing', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const { dataDir, port } = server;
  lastNight.write(dataDir, NIGHT);
  nextNight.write(dataDir, new Date('2026-04-15T00:20:00Z'));
  utimesSync(join(dataDir, 'CURRENT'), new Date(NIGHT.ended), new Date(NIGHT.ended));
  const release = await takeLock(dataDir, 'night', 'a nightly run is already in progress');
  t.after(release);
  const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: String(port), HUBLEDGER_NOW: NOW };
  const before = looks(dataDir);
  const { code, out, error } = await runBeside(['status'], environment);
  assert.deepEqual(looks(dataDir), before);
  assert.deepEqual([code, error], [0, '']);
  const holder = /process \d+ on \S+/.exec(out)?.[0];
  assert.equal(
    out.replace(/\n(disk.*) \S+ \S+ of \S+ \S+ free/, '\n$1 some free'),
    `\
dataset     ${generationOf(1000)}, in force since 2026-04-14 00:24:00 UTC
blocks      from 2025-12-31 to height 1,000
last block  2026-04-14 12:00:00 UTC, 2 hours ago, of a recording
holdings    known from height 1 on, proved up to the last block
rows        all classified
prices      days without a price: ATOM 8
rates       no exchange rates
restated    no closed month has changed
last run    published at 2026-04-14 00:24:00 UTC, 13 hours ago, after 4 minutes
              index and fold               61.4 s
              audit                         1.5 s
this run    under way: ${holder}
next run    2026-04-15 00:20:00 UTC, in 10 hours
releases    unknown: the watcher has not run
disk        some free in ${dataDir}
server      serves ${generationOf(1000)} at http://127.0.0.1:${port}

healthy
! prices of some days are missing
`,
  );
});

test('a failed night is a fault, also in JSON', async (t) => {
  const server = await startServer({
    manifest: {
      unclassified: { BeginBlock: 2 },
      unreviewed_moves: { 900: 1, 950: 2 },
      holdings_until: 900,
      holdings_stop: STOP,
    },
  });
  t.after(() => server.close());
  const { dataDir, port } = server;
  lastNight.write(dataDir, { ...NIGHT, outcome: 'failed', error: 'an audit found a row' });
  const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: String(port), HUBLEDGER_NOW: NOW };
  const { code, out } = await runBeside(['status', '--json'], environment);
  assert.equal(code, 1);
  const { healthy, faults, warnings, dataset, last_night, next_night, running_night, disk, ...more } = JSON.parse(out);
  assert.equal(healthy, false);
  assert.deepEqual(faults, [
    'holdings end at height 900: "supply differs"',
    'the last nightly run failed: "an audit found a row"',
  ]);
  assert.deepEqual(warnings, [
    '2 rows are not classified',
    '3 rows of coins moved by the chain itself are not reviewed',
    'prices of some days are missing',
  ]);
  assert.equal(dataset.age_seconds, 7200);
  assert.deepEqual(dataset.days_without_price, { uatom: 8 });
  assert.equal(last_night.error, 'an audit found a row');
  assert.deepEqual([next_night, running_night], [null, null]);
  assert.ok(disk.free_bytes > 0 && disk.free_bytes < disk.total_bytes);
  assert.deepEqual(more, {
    checked_at: '2026-04-14T14:00:00.000Z',
    data_dir: dataDir,
    follows_node: false,
    last_verify: null,
    price_sources: null,
    rate_sources: null,
    queue: null,
    store: null,
    releases: null,
    server: { url: `http://127.0.0.1:${port}`, status: 200, generation: dataset.generation, error: null },
  });
});

test('it reports that nothing is published and creates no folder', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-status-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'data');
  const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0' };
  const { code, out } = await runBeside(['status'], environment);
  assert.equal(code, 1);
  assert.match(out, /^dataset {5}nothing is published in /);
  assert.match(out, /\n✗ nothing is published: run \.\/hubledger nightly\n$/);
  assert.ok(!existsSync(dataDir));
});

test('it reports an unreadable dataset and a missing wallet index', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const { dataDir } = server;
  const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0', HUBLEDGER_NOW: NOW };
  rmSync(join(dataDir, 'stores'), { recursive: true });
  const unindexed = await runBeside(['status'], environment);
  assert.equal(unindexed.code, 0);
  assert.match(unindexed.out, /\n! the wallet index cannot be read: /);
  writeFileSync(join(dataDir, 'generations', generationOf(1000), 'manifest.json'), '{}');
  const damaged = await runBeside(['status'], environment);
  assert.equal(damaged.code, 1);
  assert.match(damaged.out, /^dataset {5}\S+manifest\.json is damaged, /);
});

test('a dataset of another schema or version needs a night', async (t) => {
  const server = await startServer({ published: false });
  t.after(() => server.close());
  const { dataDir } = server;
  const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0', HUBLEDGER_NOW: NOW };
  const cases: [Partial<Manifest>, RegExp][] = [
    [
      { schema_version: 999 },
      /^dataset {5}\S+ has schema version 999; this program reads version \d+: run \.\/hubledger nightly\n/,
    ],
    [
      { classifier_version: '0' },
      /\n✗ the dataset was made under classification 0, not \S+: run \.\/hubledger nightly\n/,
    ],
  ];
  for (const [manifest, fault] of cases) {
    await publish(dataDir, 1000, undefined, manifest);
    const { code, out } = await runBeside(['status'], environment);
    assert.equal(code, 1);
    assert.match(out, fault);
  }
});

test('it loads no databases', async () => {
  const environment = { HUBLEDGER_DATA_DIR: join(tmpdir(), 'hubledger-nowhere'), HUBLEDGER_PORT: '0' };
  const { packages } = await loadedBy(['status'], environment);
  assert.deepEqual(
    packages.filter((name) => /^(@duckdb\/.*|@electric-sql\/.*|pg|koa|prom-client|pino|node-cron)$/.test(name)),
    [],
  );
});
