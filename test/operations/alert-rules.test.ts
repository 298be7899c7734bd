/** Alert rules: Prometheus takes them, each fires when its thing is wrong, and they ask for metrics that a server has. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { projectRoot } from '../../pipeline/base/project.js';
import { ageWarning } from '../../server/tax/dataset/health.js';
import { programs } from '../requirements.js';
import { startEventfulServer } from '../server/api/middleware/eventful-server.js';
import { expectNone } from '../source-files.js';
import { faultsOf, metricsOf } from './promql.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}
interface RuleTest {
  readonly name: string;
  readonly input_series: readonly { readonly series: string }[];
  readonly promql_expr_test: readonly { readonly exp_samples?: readonly { readonly labels: string }[] }[];
}

const RULES = join(projectRoot(), 'docs/operations/alerts.yml');
const TESTS = join(projectRoot(), 'test/operations/alert-rules.yml');
const groups: { readonly rules: readonly Rule[] }[] = parse(readFileSync(RULES, 'utf8')).groups;
const rules = groups.flatMap((group) => group.rules);
const ruleTests: readonly RuleTest[] = parse(readFileSync(TESTS, 'utf8')).tests;

test('every alert says how grave it is, what is wrong and what to do', () => {
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(critical|warning)$/, alert);
    assert.ok(annotations.summary.length > 10 && annotations.action.length > 10, alert);
  }
});

test('they ask for metrics, labels and values that a server has', async (t) => {
  const { server, after } = await startEventfulServer();
  t.after(() => server.close());
  expectNone(rules.flatMap(({ expr }) => faultsOf(expr, after)));
  expectNone(
    ruleTests.flatMap(({ input_series }) => input_series.flatMap(({ series }) => namesOutside(series, after.samples))),
  );
});

/** The name of a series when a server has no sample of it. */
function namesOutside(series: string, samples: readonly { readonly name: string }[]): string[] {
  return [...metricsOf(series)].filter((name) => name !== 'up' && !samples.some((sample) => sample.name === name));
}

test('the dataset is old for them when it is for /readyz', () => {
  const { expr } = rules.find(({ alert }) => alert === 'HubledgerDatasetOld')!;
  const [, seconds] = /^hubledger_dataset_age_seconds > (\d+)$/.exec(expr)!;
  assert.equal(ageWarning(Number(seconds)), undefined);
  assert.notEqual(ageWarning(Number(seconds) + 1), undefined);
});

test('each has a test in which it is silent, then fires alone', () => {
  assert.deepEqual(
    ruleTests.map(({ name }) => name),
    rules.map(({ alert }) => alert),
  );
  for (const { name, promql_expr_test } of ruleTests) {
    const labels = promql_expr_test.map(({ exp_samples = [] }) => exp_samples.map((sample) => sample.labels));
    assert.deepEqual(labels, [[], [`{alertname="${name}"}`]]);
  }
});

test('they do so in Prometheus', () => {
  for (const promtool of programs('promtool')) {
    for (const words of [
      ['check', 'rules', RULES],
      ['test', 'rules', TESTS],
    ]) {
      const { status, stdout, stderr } = spawnSync(promtool, words, { encoding: 'utf8' });
      assert.equal(status, 0, `${stdout}${stderr}`);
      assert.match(stdout, /SUCCESS/);
    }
  }
});
