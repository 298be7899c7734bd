/** A server's metrics, read as a collector of OpenMetrics does. */
import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricsText {
  /** Names of metrics, of which samples have ones with endings such as _total. */
  readonly families: readonly string[];
  readonly samples: readonly Sample[];
}

/** Reads the metrics of a server. @param base its URL without a path */
export async function readMetrics(base: string): Promise<MetricsText> {
  const response = await fetch(`${base}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^application\/openmetrics-text; version=1\.0\.0/);
  const text = await response.text();
  assert.ok(text.endsWith('# EOF\n'));
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return {
    families: [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!),
    samples: lines.map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text] as const);
      return { name: name!, labels: Object.fromEntries(pairs), value: Number(value) };
    }),
  };
}

/** The sum of the samples with a name and these labels among theirs; undefined where there is none. */
export function sampleSum({ samples }: MetricsText, name: string, labels: Sample['labels'] = {}): number | undefined {
  const isMeant = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  const found = samples.filter(isMeant).map(({ value }) => value);
  return found.length > 0 ? found.reduce((sum, value) => sum + value) : undefined;
}
