/** The check of expressions finds what a server could never answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample } from '../server/api/middleware/read-metrics.js';
import { faultsOf } from './promql.js';

const samples: readonly Sample[] = [
  { name: 'requests_total', labels: { route: '/a', status: '5xx' }, value: 1 },
  { name: 'height', labels: {}, value: 1 },
];
const faults = (text: string) => faultsOf(text, { families: [], samples }).length;

test('what the metrics can answer has no fault', () => {
  for (const text of [
    'height',
    'up{job="hubledger"} == 1 unless on (job, instance) height',
    'sum by (route) (rate(requests_total{status="5xx",route!~"x.*"}[5m])) / ignoring (route) group_left height > 0',
    'delta(height[2d]) offset 1h',
  ]) {
    assert.deepEqual(faultsOf(text, { families: [], samples }), []);
  }
});

test('an expression that is none, and other metrics, labels and values', () => {
  assert.equal(faults('sum by (route'), 1);
  assert.equal(faults('1 + 1'), 1);
  assert.equal(faults('heigth'), 1);
  assert.equal(faults('requests_total{status="5xy"}'), 1);
  assert.equal(faults('requests_total{code="5xx"}'), 2, 'no sample with it, and no such label');
  assert.equal(faults('sum by (code) (requests_total)'), 1);
  assert.equal(faultsOf('requests_total', { families: [], samples }, ['route', 'code']).length, 1);
  assert.equal(faults('height / heigth + requests'), 2);
});
