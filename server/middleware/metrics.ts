/**
 * Metrics: counts and times of requests, the process's own figures, and gauges of the dataset, its nights and nodes, in the text form of
 * OpenMetrics.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import { GAUGES, type GaugeSources } from './gauges.js';

/** Upper bounds of the classes of the time that a request takes. */
const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

export class Metrics {
  private readonly registry = new Registry<OpenMetricsContentType>();
  private readonly registers = [this.registry];
  readonly requests = new Counter({
    name: 'hubledger_requests',
    help: 'Requests by endpoint and class of status.',
    labelNames: ['route', 'status'],
    registers: this.registers,
  });
  readonly kept = new Counter({
    name: 'hubledger_kept_responses',
    help: 'Requests that the response cache answered.',
    labelNames: ['route'],
    registers: this.registers,
  });
  readonly seconds = new Histogram({
    name: 'hubledger_request_seconds',
    help: 'Time until an answer is out, by endpoint.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: this.registers,
  });

  constructor(sources: GaugeSources) {
    this.registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectDefaultMetrics({ register: this.registry });
    for (const { name, help, labelNames, collect } of GAUGES) {
      new Gauge({
        ...{ name, help, labelNames, registers: this.registers },
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
