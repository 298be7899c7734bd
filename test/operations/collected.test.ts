/** Rules and board in a Prometheus that collects the metrics of a server on which everything has happened. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../../pipeline/base/project.js';
import { programs } from '../requirements.js';
import { startEventfulServer } from '../server/api/middleware/eventful-server.js';
import { expectNone } from '../source-files.js';
import { Collector } from './collector.js';
import { metricsOf } from './promql.js';

const place = (file: string) => join(projectRoot(), 'docs/operations', file);

interface Asked {
  readonly expr: string;
}
const board = JSON.parse(readFileSync(place('board.json'), 'utf8'));
/** Expressions of the board's panels and annotations, as Grafana sends them when all servers are chosen. */
const shown = [
  ...board.panels.flatMap(({ targets = [] }: { targets?: Asked[] }) => targets),
  ...board.annotations.list,
].map(({ expr }: Asked) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'));

/** Alerts of what has happened to the server. Those that compare times with this machine's clock are left out. */
const HAPPENED = ['DatasetOld', 'NightFailed', 'Unclassified', 'ReleaseUnreviewed', 'UpstreamDown'];
/** Series that are there when all is collected: a rate needs two samples, and an annotation an alert that fires. */
const COLLECTED = [
  'count_over_time(up{job="hubledger"}[5m]) > 2',
  'ALERTS{alertname="HubledgerNightFailed",alertstate="firing"}',
  ...HAPPENED.map((name) => `ALERTS{alertname="Hubledger${name}"}`),
];

for (const prometheus of programs('prometheus')) {
  test('the board and the alerts have series for all they ask for', { timeout: 300_000 }, async (t) => {
    const { server } = await startEventfulServer();
    t.after(() => server.close());
    const collector = await Collector.start(prometheus, server.port, place('alerts.yml'));
    t.after(() => collector.stop());
    const without = async (exprs: readonly string[]) => {
      const counts = await Promise.all(exprs.map((expr) => collector.count(expr)));
      return exprs.filter((_, i) => counts[i] === 0);
    };
    while ((await without(COLLECTED)).length > 0) await wait(100);

    assert.ok(shown.length > 30);
    expectNone(await without(shown));
    const rules = await collector.rules();
    expectNone(rules.filter(({ health }) => health === 'err').map(({ name }) => name));
    assert.ok(rules.length > 10);
    expectNone(await without([...new Set(rules.flatMap(({ query }) => [...metricsOf(query)]))]));
  });
}
