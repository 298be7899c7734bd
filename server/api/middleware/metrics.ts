import { collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import {
  lastNight,
  lastVerify,
  nextNight,
  priceSources,
  rateSources,
} from '../../../pipeline/base/disk/run-records.js';
import type { Config } from '../../../pipeline/config.js';
import type { QueueMonitor } from '../../../pipeline/night/queue/night-queue.js';
import type { Networks } from '../../contracts/networks.js';
import type { Dataset } from '../../tax/dataset/dataset.js';
import type { Datasets } from '../../tax/dataset/dataset-holder.js';
import { ageOf, daysWithoutPrice, unclassifiedRows } from '../../tax/dataset/health.js';
import { readReleases, reviewReleases } from '../../tax/dataset/releases.js';

interface GaugeSources {
  readonly config: Pick<Config, 'dataDir' | 'now'>;
  readonly datasets: Datasets;
  readonly networks: Networks;
  readonly jobQueue: Pick<QueueMonitor, 'state'>;
}

/** Sets the value of a metric. A metric without a value is not shown. */
type Sample = (value: number, labels?: Readonly<Record<string, string>>) => void;

interface GaugeDefinition {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  collect(sources: GaugeSources, sample: Sample): void | Promise<void>;
}

const seconds = (time: string) => Date.parse(time) / 1000;

/** Returns a gauge that has no value while no dataset is published. */
const ofDataset = (
  name: string,
  help: string,
  labelNames: readonly string[],
  collect: (dataset: Dataset, sample: Sample, now: Date) => void,
): GaugeDefinition => ({
  name: `hubledger_dataset_${name}`,
  help,
  labelNames,
  collect({ datasets, config }, sample) {
    const lease = datasets.lease();
    if (!lease) return;
    try {
      collect(lease.dataset, sample, config.now());
    } finally {
      lease.release();
    }
  },
});

const GAUGES: readonly GaugeDefinition[] = [
  ofDataset('info', 'The current generation.', ['generation'], ({ generation }, sample) => sample(1, { generation })),
  ofDataset('height', 'Height of the last block of the dataset.', [], ({ height }, sample) => sample(height)),
  ofDataset('age_seconds', 'Seconds since the last block of the dataset.', [], (dataset, sample, now) =>
    sample(ageOf(dataset, now)),
  ),
  ofDataset(
    'holdings_until',
    'Height up to which holdings are proved. Absent if the dataset has no holdings.',
    [],
    ({ manifest: { holdings_until } }, sample) => {
      if (holdings_until !== null) sample(holdings_until);
    },
  ),
  ofDataset(
    'wallets',
    'Wallets of a dataset of single wallets, by the state of their proof: proved, complete, derived or incomplete. Absent for the whole chain.',
    ['state'],
    ({ manifest: { own_wallets } }, sample) => {
      if (!own_wallets) return;
      for (const state of ['proved', 'complete', 'derived', 'incomplete']) {
        sample(own_wallets.filter((wallet) => wallet.state === state).length, { state });
      }
    },
  ),
  ofDataset('unclassified_rows', 'Rows that no classifier explains.', [], ({ manifest }, sample) =>
    sample(unclassifiedRows(manifest)),
  ),
  ofDataset('unpriced_legs', 'Number of coins in taxable rows that have no price.', [], ({ manifest }, sample) => {
    const { legs, priced_legs } = manifest.price_coverage.total;
    sample(legs - priced_legs);
  }),
  ofDataset(
    'days_without_price',
    'Number of indexed days on which a known coin in taxable rows has no price.',
    ['denom'],
    (dataset, sample) => {
      for (const [denom, days] of daysWithoutPrice(dataset)) sample(days, { denom });
    },
  ),
  {
    name: 'hubledger_releases_unreviewed',
    help: '1 if a release or a coming upgrade is not reviewed, else 0. Absent until the release watcher has run.',
    labelNames: [],
    collect({ config, datasets }, sample) {
      const watch = readReleases(config.dataDir);
      if (watch) sample(Number(reviewReleases(datasets.reviewed, watch, config.now()).attention));
    },
  },
  {
    name: 'hubledger_night_ended_seconds',
    help: 'Unix time at which the last nightly run ended. The outcome is published, nothing-new or failed.',
    labelNames: ['outcome'],
    collect({ config }, sample) {
      const night = lastNight.read(config.dataDir);
      if (night) sample(seconds(night.ended), { outcome: night.outcome });
    },
  },
  {
    name: 'hubledger_night_due_seconds',
    help: 'Unix time of the next scheduled nightly run. Absent without a schedule.',
    labelNames: [],
    collect({ config }, sample) {
      const due = nextNight.read(config.dataDir);
      if (due) sample(due.getTime() / 1000);
    },
  },
  {
    name: 'hubledger_verify_ended_seconds',
    help: 'Unix time of the last comparison of holdings with a node. The outcome is agrees, differs or failed.',
    labelNames: ['outcome'],
    collect({ config }, sample) {
      const verify = lastVerify.read(config.dataDir);
      if (verify) sample(seconds(verify.ended), { outcome: verify.outcome });
    },
  },
  {
    name: 'hubledger_night_step_seconds',
    help: 'Seconds that each step of the last nightly run took.',
    labelNames: ['step'],
    collect({ config }, sample) {
      const durations = Object.entries(lastNight.read(config.dataDir)?.durations ?? {});
      for (const [step, milliseconds] of durations) sample(milliseconds / 1000, { step });
    },
  },
  {
    name: 'hubledger_price_source_silent_nights',
    help: 'Nights since the last quote in which a price source gave no quote. Absent until a nightly run has asked markets.',
    labelNames: ['source'],
    collect({ config }, sample) {
      const sources = Object.entries(priceSources.read(config.dataDir)?.sources ?? {});
      for (const [source, { silent_nights }] of sources) sample(silent_nights.length, { source });
    },
  },
  {
    name: 'hubledger_rate_source_failed_nights',
    help: 'Nights in a row in which nothing of a source of exchange rates could be used. Absent until a nightly run has read the source.',
    labelNames: ['source'],
    collect({ config }, sample) {
      const sources = Object.entries(rateSources.read(config.dataDir)?.sources ?? {});
      for (const [source, { failed_nights }] of sources) sample(failed_nights.length, { source });
    },
  },
  {
    name: 'hubledger_queue_up',
    help: '1 if the queue of HUBLEDGER_QUEUE_URL answers, else 0. Absent without a queue.',
    labelNames: [],
    async collect({ jobQueue }, sample) {
      const state = await jobQueue.state();
      if (state !== undefined) sample(Number(state !== null));
    },
  },
  {
    name: 'hubledger_queue_jobs',
    help: 'Jobs of nightly runs in the queue. The state is waiting or active.',
    labelNames: ['state'],
    async collect({ jobQueue }, sample) {
      const { waiting, active } = (await jobQueue.state()) ?? {};
      if (waiting !== undefined) sample(waiting, { state: 'waiting' });
      if (active !== undefined) sample(active, { state: 'active' });
    },
  },
  {
    name: 'hubledger_queue_workers',
    help: 'Workers that are connected to the queue.',
    labelNames: [],
    async collect({ jobQueue }, sample) {
      const { workers } = (await jobQueue.state()) ?? {};
      if (workers !== undefined) sample(workers);
    },
  },
  {
    name: 'hubledger_follow_age_seconds',
    help: 'Seconds since this server last had the generation of its upstream, or since its start. Absent if it follows none.',
    labelNames: [],
    collect({ datasets: { follower } }, sample) {
      if (follower) sample(follower.age / 1000);
    },
  },
  {
    name: 'hubledger_follow_failures',
    help: 'Failed attempts in a row to get the generation of the upstream. Absent if the server follows none.',
    labelNames: [],
    collect({ datasets: { follower } }, sample) {
      if (follower) sample(follower.state.failures);
    },
  },
  {
    name: 'hubledger_upstream_nodes',
    help: 'Nodes of the contract API. The state is usable or failing, judged by the queries so far.',
    labelNames: ['network', 'state'],
    collect({ networks }, sample) {
      for (const { name, nodes, usable } of networks.states()) {
        sample(usable, { network: name, state: 'usable' });
        sample(nodes - usable, { network: name, state: 'failing' });
      }
    },
  },
];

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

const REQUESTS = {
  name: 'hubledger_request_seconds',
  help:
    'Response time by endpoint, by status class, and by whether the response came from the cache (label kept). The route "none" counts ' +
    'unknown paths and requests refused under overload.',
  labelNames: ['route', 'status', 'kept'],
} as const;

export class Metrics {
  private readonly registry = new Registry<OpenMetricsContentType>();
  /**
   * One histogram that also counts requests. Three separate metrics would take 5 % of the time of a cached response.
   */
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
          this.remove({}); // otherwise a gauge without labels would report 0 while its value is unknown
          return collect(sources, (value, labels = {}) => this.set(labels, value));
        },
      });
    }
  }

  async text(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}
