/** Expressions of PromQL against the metrics that a server has. */
import { parser } from '@prometheus-io/lezer-promql';
import type { MetricsText, Sample } from '../server/api/middleware/read-metrics.js';

/** Labels and metrics that Prometheus itself adds. */
const ADDED_LABELS = ['job', 'instance', 'alertname', 'alertstate'];
const ADDED_METRICS = new Set(['up', 'ALERTS']);

interface Selector {
  metric: string;
  /** Labels with the one value that they are to have. */
  readonly equal: [label: string, value: string][];
}

interface Query {
  readonly selectors: readonly Selector[];
  readonly labels: readonly string[];
  readonly isWellFormed: boolean;
}

function readQuery(text: string): Query {
  const selectors: Selector[] = [];
  const labels: string[] = [];
  let isWellFormed = true;
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      const words = text.slice(from, to);
      if (type.isError) isWellFormed = false;
      if (name === 'VectorSelector') selectors.push({ metric: '', equal: [] });
      if (name === 'Identifier') selectors.at(-1)!.metric = words;
      if (name === 'LabelName') labels.push(words);
      const [, label, value] = (name === 'UnquotedLabelMatcher' && /^(\w+)="(.*)"$/.exec(words)) || [];
      if (label) selectors.at(-1)!.equal.push([label, value!]);
    },
  });
  return { selectors, labels, isWellFormed };
}

/** Tells whether a server has samples that a selector selects. */
function selectsOne({ metric, equal }: Selector, samples: readonly Sample[]): boolean {
  const own = equal.filter(([label]) => !ADDED_LABELS.includes(label));
  return samples.some(({ name, labels }) => name === metric && own.every(([label, value]) => labels[label] === value));
}

/**
 * Lists faults of an expression: no PromQL, or metrics, labels and values that the server does not have.
 * @param shown labels that the legend beside it names
 */
export function faultsOf(text: string, { samples }: MetricsText, shown: readonly string[] = []): string[] {
  const { selectors, labels, isWellFormed } = readQuery(text);
  if (!isWellFormed || selectors.length === 0) return [`${text}: not PromQL that asks for a metric`];
  const metrics = metricsOf(text);
  const own = samples.filter(({ name }) => metrics.has(name)).flatMap((sample) => Object.keys(sample.labels));
  const known = new Set([...ADDED_LABELS, ...own]);
  return [
    ...selectors
      .filter((selector) => !ADDED_METRICS.has(selector.metric) && !selectsOne(selector, samples))
      .map(({ metric, equal }) => `${text}: no sample of ${metric} with ${JSON.stringify(equal)}`),
    ...[...labels, ...shown].filter((label) => !known.has(label)).map((label) => `${text}: no label ${label}`),
  ];
}

/** Names of the metrics that an expression asks for. */
export const metricsOf = (text: string): ReadonlySet<string> =>
  new Set(readQuery(text).selectors.map(({ metric }) => metric));
