/** The table of metrics in the documents, made from their definitions. */
import { type MetricDefinition, OWN_METRICS } from '../../server/middleware/metrics.js';

/** Endings that samples have beside the names of their metrics. */
const ENDINGS: Readonly<Record<MetricDefinition['kind'], string>> = {
  histogram: '_bucket',
  gauge: '',
};

function row({ name, kind, help, labelNames }: MetricDefinition): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}${ENDINGS[kind]}\` | ${kind} | ${labels} | ${help} |`;
}

export const metricsTable = (): string =>
  ['| Metric | Kind | Labels | Meaning |', '|---|---|---|---|', ...OWN_METRICS.map(row)].join('\n');
