/** Formats the state of the service for a terminal: aligned lines, then faults and warnings. */
import type { LastNight, LastVerify } from '../../pipeline/base/disk/run-records.js';
import type { Rules } from '../../pipeline/books/ledger/rules.js';
import { quoted } from '../explain/words.js';
import type { Judgement } from './judge.js';
import type { DatasetState, ReleasesState, ServiceState } from './service-state.js';

const whole = (count: number) => count.toLocaleString('en');
const instant = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

const SPANS: readonly (readonly [seconds: number, unit: string, from: number])[] = [
  [86_400, 'days', 172_800],
  [3600, 'hours', 7200],
  [60, 'minutes', 120],
  [1, 'seconds', 0],
];

/**
 * Formats a duration in the largest unit that gives a number of at least 2.
 * @param seconds 0 or more
 */
export function span(seconds: number): string {
  const [size, unit] = SPANS.find(([, , from]) => seconds >= from)!;
  return `${whole(Math.floor(seconds / size))} ${unit}`;
}

const BYTES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size in the largest unit that gives a number of at least 1. */
export function size(bytes: number): string {
  const step = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** step).toFixed(step > 2 ? 1 : 0)} ${BYTES[step]}`;
}

const NAME_WIDTH = 12;
const STEP_WIDTH = 24;

export function describe(state: ServiceState, judgement: Judgement, rules: Rules): string {
  const lines = [
    ...datasetLines(state, rules),
    ...unlistedLines(state),
    ...nightLines(state),
    ...verifyLines(state),
    ...queueLines(state),
    ...storeLines(state),
    ['releases', releaseLine(state.releases)],
    ['disk', diskLine(state)],
    ['server', serverLine(state)],
  ] as const;
  const text = lines.map(([name, line]) => `${name.padEnd(NAME_WIDTH)}${line}`);
  return [...text, '', ...verdictLines(judgement)].join('\n');
}

type Lines = readonly (readonly [name: string, line: string])[];

function datasetLines({ dataset, data_dir, follows_node }: ServiceState, rules: Rules): Lines {
  if (dataset === null) return [['dataset', `nothing is published in ${data_dir}`]];
  if ('error' in dataset) return [['dataset', dataset.error]];
  const { generation, in_force_since, height, time, age_seconds, unclassified_rows, missing_blocks } = dataset;
  const source = follows_node ? '' : ', of a recording';
  const missing = missing_blocks > 0 ? `, without ${whole(missing_blocks)} blocks` : '';
  return [
    ['dataset', `${generation}, in force since ${instant(in_force_since)}`],
    ['blocks', `from ${dataset.index_start} to height ${whole(height)}${missing}`],
    ['last block', `${instant(time)}, ${span(age_seconds)} ago${source}`],
    ...(dataset.wallets?.map(walletLine) ?? [['holdings', holdingsLine(dataset)] as const]),
    ['rows', unclassified_rows === 0 ? 'all classified' : `${whole(unclassified_rows)} not classified`],
    ['prices', priceLine(dataset, rules)],
    ['rates', dataset.last_rate_day === null ? 'no exchange rates' : `until ${dataset.last_rate_day}`],
    ['restated', restatedLine(dataset)],
  ];
}

function holdingsLine({ holdings_from, holdings_until, holdings_stop }: DatasetState): string {
  if (holdings_from === null || holdings_until === null) return 'none: no starting state was given';
  const since = `known from height ${whole(holdings_from)} on, `;
  if (holdings_stop === null) return `${since}proved up to the last block`;
  const { height, day } = holdings_stop;
  return `${since}proved up to height ${whole(holdings_until)}; block ${whole(height)} of ${day} is not explained`;
}

/** Returns a line about a wallet's proof. What an incomplete wallet lacks is in the list of faults. */
const walletLine = ({ address, state, unconfirmed }: NonNullable<DatasetState['wallets']>[number]) =>
  ['wallet', [`${address} is ${state}`, ...(state === 'complete' ? unconfirmed : [])].join('; ')] as const;

function restatedLine({ restatements, not_compared }: DatasetState): string {
  const last = restatements.at(-1);
  const uncompared = not_compared.map(
    ({ generation_before, reason }) => `not compared with ${generation_before}: ${reason}`,
  );
  if (last === undefined) return uncompared.join('; ') || 'no closed month has changed';
  const { figures, wallets, causes, restated_at, gains_usd } = last;
  const times = restatements.length === 1 ? '' : `; ${whole(restatements.length)} times in all`;
  return `${whole(figures)} figures of ${whole(wallets)} wallets at ${instant(restated_at)} (${causes.join(', ')}), sum of gains ${gains_usd}${times}${uncompared.map((text) => `; ${text}`).join('')}`;
}

function priceLine({ days_without_price }: DatasetState, rules: Rules): string {
  if (days_without_price === null) return 'unknown: the wallet index cannot be read';
  const gaps = Object.entries(days_without_price).filter(([, days]) => days > 0);
  if (gaps.length === 0) return 'complete';
  const named = gaps.map(([denom, days]) => `${rules.denomination(denom).symbol} ${whole(days)}`);
  return `days without a price: ${named.join(', ')}`;
}

function unlistedLines({ price_sources }: ServiceState): Lines {
  const gone = Object.entries(price_sources ?? {}).filter(([, { unlisted }]) => unlisted.length > 0);
  const named = gone.map(([name, { unlisted }]) => `${name} ${unlisted.join(', ')}`);
  return gone.length === 0 ? [] : [['markets', `not listed: ${named.join('; ')}`]];
}

function nightLines({ last_night, running_night, next_night, checked_at }: ServiceState): Lines {
  const until = next_night === null ? 0 : (Date.parse(next_night) - Date.parse(checked_at)) / 1000;
  const when = until < 0 ? `${span(-until)} ago` : `in ${span(until)}`;
  return [
    ['last run', last_night === null ? 'none has ended yet' : nightLine(last_night, checked_at)],
    ...Object.entries(last_night?.durations ?? {}).map(
      ([step, milliseconds]) =>
        ['', `  ${step.padEnd(STEP_WIDTH)}${(milliseconds / 1000).toFixed(1).padStart(9)} s`] as const,
    ),
    ...(last_night?.pieces
      ? ([['', `  pieces: ${whole(last_night.pieces.made)} made, ${whole(last_night.pieces.taken)} taken`]] as const)
      : []),
    ...(running_night === null ? [] : ([['this run', `under way: ${running_night}`]] as const)),
    ['next run', next_night === null ? 'unknown: no schedule runs on this folder' : `${instant(next_night)}, ${when}`],
  ];
}

const OUTCOMES: Readonly<Record<LastNight['outcome'], string>> = {
  published: 'published',
  'nothing-new': 'found nothing new',
  failed: 'failed',
};

function nightLine({ outcome, began, ended }: LastNight, checked_at: string): string {
  const since = (from: string, to: string) => span(Math.max(0, Date.parse(to) - Date.parse(from)) / 1000);
  return `${OUTCOMES[outcome]} at ${instant(ended)}, ${since(ended, checked_at)} ago, after ${since(began, ended)}`;
}

const COMPARISONS: Readonly<Record<LastVerify['outcome'], string>> = {
  agrees: 'agrees with the node',
  differs: 'differs from the node',
  failed: 'failed',
};

function verifyLines({ last_verify, checked_at }: ServiceState): Lines {
  if (last_verify === null) return [];
  const { outcome, ended } = last_verify;
  const age = span(Math.max(0, Date.parse(checked_at) - Date.parse(ended)) / 1000);
  return [['last verify', `${COMPARISONS[outcome]} at ${instant(ended)}, ${age} ago`]];
}

function storeLines({ store }: ServiceState): Lines {
  if (store === null) return [];
  if ('error' in store) return [['store', `${store.url}: ${store.error}`]];
  const { url, generation, at } = store;
  return [
    ['store', generation === null ? `${url}: nothing is published` : `${url}: ${generation} since ${instant(at!)}`],
  ];
}

function queueLines({ queue }: ServiceState): Lines {
  if (queue === null) return [];
  if ('error' in queue) return [['queue', queue.error]];
  const { workers, waiting, active } = queue;
  return [['queue', `${whole(workers)} workers, ${whole(active)} jobs run, ${whole(waiting)} wait`]];
}

function releaseLine(releases: ReleasesState | null): string {
  if (releases === null) return 'unknown: the watcher has not run';
  const { node_version, newest_release, latest_reviewed, pending_upgrade } = releases;
  const upgrade = pending_upgrade
    ? `; upgrade ${quoted(pending_upgrade.name)} at height ${whole(pending_upgrade.height)}`
    : '';
  return `node ${node_version ?? 'unknown'}, newest ${newest_release ?? 'unknown'}, reviewed ${latest_reviewed}${upgrade}`;
}

function diskLine({ disk, data_dir }: ServiceState): string {
  return disk === null
    ? `${data_dir} does not exist`
    : `${size(disk.free_bytes)} of ${size(disk.total_bytes)} free in ${data_dir}`;
}

function serverLine({ server }: ServiceState): string {
  if (server === null) return 'unknown: the system chooses its port';
  const { url, status, generation } = server;
  if (status === null) return `no answer at ${url}`;
  return status === 200 ? `serves ${generation} at ${url}` : `answers ${status} at ${url}`;
}

function verdictLines({ faults, warnings }: Judgement): string[] {
  const mark = (sign: string) => (text: string) => `${sign} ${text}`;
  const verdict = faults.length > 0 ? 'not healthy' : 'healthy';
  return [verdict, ...faults.map(mark('✗')), ...warnings.map(mark('!'))];
}
