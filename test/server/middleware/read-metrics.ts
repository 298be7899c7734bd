/** A server's metrics, read as a collector of OpenMetrics does. */
import assert from 'node:assert/strict';

/** A metric with all its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
}

export interface MetricsText {
  readonly families: readonly MetricFamily[];
  /** Values by name and labels. */
  readonly samples: ReadonlyMap<string, number>;
}

/** Reads the metrics of a server. @param base its URL without a path */
export async function readMetrics(base: string): Promise<MetricsText> {
  const response = await fetch(`${base}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^application\/openmetrics-text; version=1\.0\.0/);
  const text = await response.text();
  assert.ok(text.endsWith('# EOF\n'));
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }));
  return {
    families,
    samples: new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    ),
  };
}
