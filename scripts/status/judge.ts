import { daysBetween } from '../../pipeline/base/values/day.js';
import { RATE_DAYS_BACK } from '../../pipeline/books/currencies/exchange-rates.js';
import { SILENT_NIGHTS } from '../../pipeline/prices/source-nights.js';
import { ageWarning } from '../../server/tax/dataset/health.js';
import { quoted } from '../explain/words.js';
import type { DatasetState, ServiceState } from './service-state.js';

export interface Judgement {
  /** Problems because of which the service does not work. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** A scheduled nightly run is overdue if it is this much later than planned. */
const OVERDUE_MS = 600_000;
/**
 * Minimum free share of the disk. During a nightly run, the new generation needs space in addition to the current one.
 */
const DISK_LOW = 0.1;

type Finding = string | false | null | undefined;
const found = (findings: readonly Finding[]) => findings.filter((finding) => typeof finding === 'string');

export function judge(state: ServiceState): Judgement {
  const { dataset, follows_node, last_verify, price_sources, queue, rate_sources, releases, server, store } = state;
  const published = dataset && 'generation' in dataset ? dataset : undefined;
  return {
    faults: found([
      dataset === null && 'nothing is published: run ./hubledger nightly',
      dataset && 'error' in dataset && dataset.error,
      ...(published ? datasetFaults(published, follows_node) : []),
      ...nightFaults(state),
      last_verify?.outcome === 'differs' && `holdings differ from the node's: ${quoted(last_verify.error ?? '')}`,
      queue && 'error' in queue && queue.error,
      store && 'error' in store && store.error,
      server !== null &&
        server.status !== null &&
        server.status !== 200 &&
        `the server answers ${[server.status, server.error ?? []].flat().join(': ')}`,
    ]),
    warnings: found([
      ...(published ? datasetWarnings(published, state) : []),
      ...silentSources(price_sources),
      ...failingSources(rate_sources),
      last_verify?.outcome === 'failed' && `holdings were not compared with a node: ${quoted(last_verify.error ?? '')}`,
      queue &&
        'waiting' in queue &&
        queue.waiting > 0 &&
        queue.workers === 0 &&
        'jobs wait, but no worker is connected',
      server?.status === 200 &&
        server.error !== null &&
        `the server cannot take over its upstream's dataset: ${quoted(server.error)}`,
      releases?.all_reviewed === false && 'a release or an upgrade is not reviewed: look for a newer hubledger',
      releases?.stale && 'release data is stale: run ./hubledger watch-releases',
    ]),
  };
}

function datasetFaults(dataset: DatasetState, followsNode: boolean): Finding[] {
  const { age_seconds, holdings_until, holdings_stop, other_versions, wallets } = dataset;
  return [
    followsNode && ageWarning(age_seconds),
    other_versions.length > 0 && `the dataset was made under ${other_versions.join(' and ')}: run ./hubledger nightly`,
    holdings_stop && `holdings end at height ${holdings_until}: ${quoted(holdings_stop.reason)}`,
    ...(wallets ?? [])
      .filter(({ state }) => state === 'incomplete')
      .map(({ address, missing }) => `${address} is incomplete: ${missing.join('; ')}`),
  ];
}

/** Returns the price sources that have given nothing for several nights. */
function silentSources(sources: ServiceState['price_sources']): Finding[] {
  return Object.entries(sources ?? {})
    .filter(([, { silent_nights }]) => silent_nights.length >= SILENT_NIGHTS)
    .map(([name, { silent_nights, failure }]) => {
      const cause = failure === null ? 'it answered without prices' : quoted(failure);
      return `the price source ${name} has given nothing for ${silent_nights.length} nights: ${cause}`;
    });
}

/** Returns the sources of exchange rates of which the last nightly run could use nothing. */
function failingSources(sources: ServiceState['rate_sources']): Finding[] {
  return Object.entries(sources ?? {}).map(([name, { failed_nights: nights, failure }]) => {
    const times = nights.length === 1 ? 'in the last nightly run' : `for ${nights.length} nights`;
    return failure !== null && `nothing of the exchange rates of ${name} could be used ${times}: ${quoted(failure)}`;
  });
}

function nightFaults({ last_night, next_night, running_night, checked_at }: ServiceState): Finding[] {
  const late = next_night === null ? 0 : Date.parse(checked_at) - Date.parse(next_night);
  return [
    last_night?.outcome === 'failed' &&
      `the last nightly run failed: ${quoted(last_night.error ?? 'no reason recorded')}`,
    running_night === null &&
      late > OVERDUE_MS &&
      `the nightly run of ${next_night} did not start: check ./hubledger schedule`,
  ];
}

function datasetWarnings(dataset: DatasetState, { disk, server }: ServiceState): Finding[] {
  const { generation, missing_blocks, unclassified_rows, unreviewed_moves } = dataset;
  const { days_without_price, last_rate_day, time, unreached_days } = dataset;
  const hasGaps = Object.values(days_without_price ?? {}).some((days) => days > 0);
  const served = server?.generation ?? generation;
  return [
    missing_blocks > 0 && `${missing_blocks} blocks are missing in the index`,
    unclassified_rows > 0 && `${unclassified_rows} rows are not classified`,
    unreviewed_moves > 0 && `${unreviewed_moves} rows of coins moved by the chain itself are not reviewed`,
    days_without_price === null && 'the wallet index cannot be read: start the server, or run ./hubledger nightly',
    hasGaps && 'prices of some days are missing',
    last_rate_day !== null &&
      daysBetween(last_rate_day, time.slice(0, 10)) > RATE_DAYS_BACK &&
      `the last exchange rates are those of ${last_rate_day}, so later values in other currencies are missing`,
    unreached_days > 0 && `no market could be reached for prices of ${unreached_days} days; the next run asks again`,
    served !== generation && `the server serves ${served}`,
    disk !== null && disk.free_bytes < disk.total_bytes * DISK_LOW && 'the disk is nearly full',
  ];
}
