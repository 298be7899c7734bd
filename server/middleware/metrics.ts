/**
 * Metrics: times of requests, the process's own figures, and gauges of the dataset, its nights and nodes, in the text form of
 * OpenMetrics.
 */
import { collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import { GAUGES, type GaugeSources } from './gauges.js';

/** Upper bounds of the classes of the time that a request takes. */
const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

/** The definition of what every request moves. */
const REQUESTS = {
  name: 'hubledger_request_seconds',
  kind: 'histogram',
  help:
    'Time until an answer is out, by endpoint, class of status and whether the response cache had it; the route none is a path where ' +
    'nothing is served.',
  labelNames: ['route', 'status', 'kept'],
} as const;

export interface MetricDefinition {
  readonly name: string;
  readonly kind: 'histogram' | 'gauge';
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** Every metric of the service's own; the process has others beside them. */
export const OWN_METRICS: readonly MetricDefinition[] = [
  REQUESTS,
  ...GAUGES.map((gauge) => ({ ...gauge, kind: 'gauge' as const })),
];

export class Metrics {
  private readonly registry = new Registry<OpenMetricsContentType>();
  /** One histogram, whose count tells how many requests there were: to move three metrics would take a twentieth of a kept answer. */
  readonly requests: Histogram<(typeof REQUESTS.labelNames)[number]>;

  constructor(sources: GaugeSources) {
    this.registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const registers = [this.registry];
    this.requests = new Histogram({ ...REQUESTS, buckets: SECONDS, registers });
    collectDefaultMetrics({ register: this.registry });
    for (const { name, help, labelNames, collect } of GAUGES) {
      new Gauge({
        ...{ name, help, labelNames, registers },
        collect() {
          this.reset();
          this.remove({}); // a gauge without labels would else say 0 where nothing is known
          collect(sources, (value, labels = {}) => this.set(labels, value));
        },
      });
    }
  }

  /** All metrics of this moment. */
  async text(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}
