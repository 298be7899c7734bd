/** The board for Grafana: it can be imported, and every panel asks for metrics that a server has. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { stringify } from 'yaml';
import { projectRoot } from '../../pipeline/base/project.js';
import { programs } from '../requirements.js';
import { type EventfulServer, startEventfulServer } from '../server/api/middleware/eventful-server.js';
import { expectNone } from '../source-files.js';
import { faultsOf, metricsOf } from './promql.js';

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Place;
  readonly datasource?: unknown;
  readonly targets?: readonly Target[];
}

const FILE = join(projectRoot(), 'docs/operations/board.json');
const text = readFileSync(FILE, 'utf8');
const board = JSON.parse(text);
const panels: readonly Panel[] = board.panels;
const graphs = panels.filter(({ type }) => type !== 'row');
const targets = graphs.flatMap((panel) => panel.targets ?? []);
/** An expression as Grafana sends it. */
const sent = (expr: string) => expr.replaceAll('$__rate_interval', '5m');

let eventful: EventfulServer;
before(async () => {
  eventful = await startEventfulServer();
});
after(() => eventful.server.close());

test('it has a row for what is served, for the night and for the process', () => {
  const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
  assert.deepEqual(rows, ['Served dataset', 'The nightly run', 'The process']);
  for (const { title, description, targets: own = [] } of graphs) {
    assert.ok(description!.length > 10, title);
    assert.ok(own.length > 0, title);
    assert.equal(new Set(own.map(({ refId }) => refId)).size, own.length, title);
  }
});

test('it is bound to no Grafana: ids are its own, the source of data and the server are chosen', () => {
  assert.deepEqual([board.id, board.uid], [null, 'hubledger']);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const chosen: string[] = board.templating.list.map(({ name }: { name: string }) => name);
  assert.deepEqual(chosen, ['datasource', 'instance']);
  for (const { datasource } of graphs) assert.deepEqual(datasource, { type: 'prometheus', uid: `$\{${chosen[0]}}` });
  const variables = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
  expectNone(variables.filter((name) => !chosen.includes(name) && !name.startsWith('__')));
  for (const { expr } of targets) assert.match(expr, /\{instance=~"\$instance"/, 'the chosen servers alone are shown');
});

test('panels lie within the grid, and none on another', () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.equal(taken.get(`${x} ${y}`), undefined, title);
        taken.set(`${x} ${y}`, title);
      }
    }
  }
});

test('every expression and legend names metrics and labels that a server has', () => {
  const shown = (legend: string) => [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
  const annotations: readonly { expr: string; titleFormat: string }[] = board.annotations.list;
  const asked = [
    ...targets.map(({ expr, legendFormat }) => [expr, legendFormat] as const),
    ...annotations.map(({ expr, titleFormat }) => [expr, titleFormat] as const),
  ];
  expectNone(asked.flatMap(([expr, legend]) => faultsOf(sent(expr), eventful.after, shown(legend))));
});

test("every metric of the service's own is on it", () => {
  const asked = targets.flatMap(({ expr }) => [...metricsOf(sent(expr))]);
  const own = eventful.after.families.filter((name) => name.startsWith('hubledger_'));
  expectNone(own.filter((family) => !asked.some((name) => name.startsWith(family))));
});

test('Prometheus takes every expression', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-board-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'rules.yml');
  const rules = targets.map(({ expr }, n) => ({ record: `panel:${n}`, expr: sent(expr) }));
  writeFileSync(file, stringify({ groups: [{ name: 'board', rules }] }));
  for (const promtool of programs('promtool')) {
    const { stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
    assert.match(stdout, new RegExp(`SUCCESS: ${rules.length} rules found`), stderr);
  }
});
