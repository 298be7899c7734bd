/**
 * Metrics: counts and times of requests, the process's own figures, and how the dataset, its last night and the nodes of the contract
 * API are, in the text form of OpenMetrics.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import type { Config } from '../../pipeline/config.js';
import { readLastNight } from '../../pipeline/disk/last-night.js';
import type { Networks } from '../contracts/networks.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Datasets } from '../dataset/dataset-holder.js';

interface Sources {
  readonly config: Pick<Config, 'dataDir' | 'now'>;
  readonly datasets: Datasets;
  readonly networks: Networks;
}

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

  constructor({ config, datasets, networks }: Sources) {
    this.registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectDefaultMetrics({ register: this.registry });
    this.gaugeDataset(datasets, config);
    this.gaugeNight(config);
    this.gauge(
      'hubledger_upstream_nodes',
      'Nodes of the contract API by what can be done with them.',
      ['network', 'state'],
      (set) => {
        for (const { name, nodes, usable } of networks.states()) {
          set({ network: name, state: 'usable' }, usable);
          set({ network: name, state: 'failing' }, nodes - usable);
        }
      },
    );
  }

  /** All metrics of this moment. */
  async text(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  private gaugeDataset(datasets: Datasets, { now }: Sources['config']): void {
    const figures: readonly [string, string, (dataset: Dataset) => number][] = [
      ['height', 'Height of the last block.', ({ height }) => height],
      ['age_seconds', 'Time since the last block.', ({ time }) => (now().getTime() - Date.parse(time)) / 1000],
      ['holdings_until', 'Height up to which holdings are proved.', ({ manifest }) => manifest.holdings_until ?? 0],
      [
        'unclassified_rows',
        'Rows that no classifier explained.',
        ({ manifest }) => sum(Object.values(manifest.unclassified)),
      ],
      [
        'unpriced_legs',
        'Coins of taxable rows without a price.',
        ({
          manifest: {
            price_coverage: { total },
          },
        }) => total.legs - total.priced_legs,
      ],
    ];
    for (const [name, help, figureOf] of figures) {
      this.gauge(`hubledger_dataset_${name}`, help, [], (set) =>
        withDataset(datasets, (dataset) => set({}, figureOf(dataset))),
      );
    }
    this.gauge('hubledger_dataset_info', 'The generation in force.', ['generation'], (set) =>
      withDataset(datasets, ({ generation }) => set({ generation }, 1)),
    );
  }

  private gaugeNight({ dataDir }: Sources['config']): void {
    this.gauge('hubledger_night_ended_seconds', 'When the last night ended, by how.', ['outcome'], (set) => {
      const night = readLastNight(dataDir);
      if (night) set({ outcome: night.outcome }, Date.parse(night.ended) / 1000);
    });
    this.gauge('hubledger_night_step_seconds', 'Time that each step of the last night took.', ['step'], (set) => {
      const steps = Object.entries(readLastNight(dataDir)?.durations ?? {});
      for (const [step, milliseconds] of steps) set({ step }, milliseconds / 1000);
    });
  }

  private gauge(name: string, help: string, labelNames: string[], collect: (set: SetGauge) => void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: this.registers,
      collect() {
        this.reset();
        collect((labels, value) => this.set(labels, value));
      },
    });
  }
}

type SetGauge = (labels: Readonly<Record<string, string>>, value: number) => void;

function withDataset(datasets: Datasets, work: (dataset: Dataset) => void): void {
  const lease = datasets.lease();
  if (!lease) return;
  try {
    work(lease.dataset);
  } finally {
    lease.release();
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
