import { ExactNumber } from '../../pipeline/base/json/exact-json.js';
import { formatDecimal } from '../../pipeline/base/values/amount.js';
import { addDays, daysThrough } from '../../pipeline/base/values/day.js';
import { zoneNamed } from '../../pipeline/base/values/zones.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { type ClosedDay, type DayHoldings, holdingsAtCloses } from '../../pipeline/holdings/day-holdings.js';
import type { OwnWallet } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { Problem } from '../http/problem.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import {
  type BlockMoment,
  coveredBlockBefore,
  coveredBlocks,
  nanosOf,
  rewardAt,
  stakeAt,
} from '../tax/dataset/instants.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { refusal } from '../tax/parameters/faults.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { indexDays } from '../tax/parameters/time-range.js';
import { requireInstants, requireWholeChain } from './require-instants.js';

export const balances = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/balances',
  summary: 'A wallet’s holdings of the native coin: liquid, staked and unclaimed rewards.',
  description:
    'At the last indexed block, at the end of a UTC day, or with history=true at the end of every UTC day of the ' +
    'index. Staked coins include unbonding ones; `reward` is everything that could be claimed, rounded down to base units. ' +
    'If holdings cover only part of the index, requests for other days are refused with the first and last covered ' +
    'day, and the history contains the covered days.',
  parameters: ['single_address', 'chain', 'timezone', 'snapshot_date', 'history', 'format', 'bom'],
  response: 'balances',
  csv: true,
  policy: 'tax',
  post: true,
  problems: ['holdings_incomplete'],
  admit: requireCovered,
  // A history has an entry for each delegation and day, so it takes long to compute.
  isExpensive: ({ history }) => history,
  handle({ parameters, dataset }): Answer {
    const { date, history, format } = parameters;
    const address = parameters.addresses[0]!;
    const closes = dataset.days();
    const close = closes.findLast(({ day }) => date === '' || day <= date)!;
    const points =
      parameters.timezone !== undefined
        ? [localPoint(address, parameters, dataset)]
        : dataset.trackedWallet(address)
          ? trackedPoints(address, parameters, dataset)
          : history
            ? onDays(calendar(dataset), held(address, closes, dataset))
            : onDays([date || close.day], held(address, [close], dataset));
    const rows = points.map((point) => holdingsOf(address, point, dataset, parameters.timezone !== undefined));
    if (format === 'csv') {
      const days = new Set([rows[0]!.date, rows.at(-1)!.date]);
      const fields = dataset.trackedWallet(address) ? TRACKED_FIELDS : HOLDINGS_FIELDS;
      return csvAnswer(fields, rows.map(withCells), {
        fileName: fileNameOf('balances', [address], [...days]),
      });
    }
    return { json: history ? { address, symbol: nativeCoin(dataset).symbol, history: rows } : rows[0] };
  },
} satisfies Endpoint;

/** Throws a Problem if the holdings on the requested day are unknown. */
function requireCovered({ parameters, dataset }: { parameters: ValidParameters; dataset: Dataset }): void {
  if (dataset.manifest.holdings_until === null) {
    const detail =
      'this dataset was made without a starting state of the chain: it has no balances, and retrying does not help';
    throw new Problem('unavailable', detail, { lasting: true });
  }
  const { indexEnd } = dataset;
  const { date, history, timezone, source } = parameters;
  const { first, last } = indexDays(dataset, zoneNamed(timezone));
  if (date !== '' && (date < first || date > last)) {
    const message = `is outside the index, which covers ${first} to ${last}`;
    throw refusal(source, [{ name: 'snapshot_date', path: '', message }]);
  }
  if (timezone !== undefined) {
    requireWholeChain(dataset);
    requireInstants(dataset);
    if (!momentOf(parameters, dataset)) throw notProved(dataset, provedDays(dataset), date || last);
    return;
  }
  const tracked = dataset.trackedWallet(parameters.addresses[0]!);
  if (tracked) {
    requireTrackedDay(tracked, history || (date !== '' && date < indexEnd));
    return;
  }
  const days = provedDays(dataset);
  const day = date || indexEnd;
  if (days !== null && (history || (day >= days[0] && day <= days[1]))) return;
  throw notProved(dataset, days, day);
}

function notProved(dataset: Dataset, days: [first: string, last: string] | null, day: string): Problem {
  const { holdings_from, holdings_until } = dataset.manifest;
  const known = `holdings are known from block ${holdings_from} on and proved up to block ${holdings_until}`;
  const extent =
    days === null ? 'no day of the index is proved' : `the first day is ${days[0]}, the last whole one ${days[1]}`;
  const why =
    days !== null && day < days[0]
      ? 'earlier days need an earlier starting state'
      : 'see coverage in other responses for the reason; retrying does not help until it is fixed';
  return new Problem('holdings_incomplete', `${known}; ${extent}; ${why}`, { provedDays: days, lasting: true });
}

/** Returns the last block of the requested day in the zone of the request; undefined if its holdings are unknown. */
function momentOf({ date, timezone }: ValidParameters, dataset: Dataset): BlockMoment | undefined {
  const covered = coveredBlocks(dataset)!;
  const { last } = covered;
  const end = date === '' ? undefined : nanosOf(addDays(date, 1), zoneNamed(timezone));
  if (end === undefined) return last;
  if (end > last.time) return last.height === dataset.manifest.height ? last : undefined;
  return coveredBlockBefore(dataset, end, covered);
}

/** Returns holdings at the end of a day in the zone of the request. */
function localPoint(address: string, parameters: ValidParameters, dataset: Dataset): Point {
  const { date, timezone } = parameters;
  const moment = momentOf(parameters, dataset)!;
  return {
    day: date || indexDays(dataset, zoneNamed(timezone)).last,
    liquid: dataset.liquidAt(address, moment.height).get(dataset.reference.chain.native_denom) ?? 0n,
    ...stakeAt(dataset, address, moment),
    reward: rewardAt(dataset, address, moment.height),
  };
}

/**
 * For a dataset of single wallets: throws a Problem if no node reported the latest holdings. For earlier days, also
 * throws if rows do not explain the holdings.
 */
function requireTrackedDay({ address, reward, balances, stakes, missing }: OwnWallet, isEarlier: boolean): void {
  const isExplained = balances.every(({ holds }) => holds) && stakes.holds;
  if (reward !== null && (isExplained || !isEarlier)) return;
  const extent = reward === null ? 'are unknown' : 'on earlier days are not proved';
  const detail = `holdings of ${address} ${extent}: ${missing.join('; ')}`;
  throw new Problem('holdings_incomplete', detail, { provedDays: null, lasting: true });
}

/**
 * Returns holdings from a dataset of single wallets. Rewards on earlier days stay unknown, because they need data of
 * the whole chain.
 */
function trackedPoints(address: string, { date, history }: ValidParameters, dataset: Dataset): Point[] {
  const { indexStart, indexEnd } = dataset;
  const reward = BigInt(dataset.trackedWallet(address)!.reward!);
  const held = [{ day: indexStart, liquid: 0n, staked: 0n, unbonding: 0n }, ...dataset.trackedDays(address)];
  const days = history ? daysThrough(indexStart, indexEnd) : [date || indexEnd];
  return days.map((day) => ({
    ...held.findLast((point) => point.day <= day)!,
    day,
    reward: day === indexEnd ? reward : undefined,
  }));
}

/** Returns the first and last day (UTC) with proved holdings; null if there is none. */
function provedDays(dataset: Dataset): [first: string, last: string] | null {
  const first = dataset.days()[0]?.day;
  const { holdings_stop } = dataset.manifest;
  const last = holdings_stop === null ? dataset.indexEnd : addDays(holdings_stop.day, -1);
  return first !== undefined && last >= first ? [first, last] : null;
}

const held = (address: string, closes: readonly ClosedDay[], dataset: Dataset): DayHoldings[] =>
  holdingsAtCloses(dataset.holdings(address)!, closes, {
    denom: dataset.reference.chain.native_denom,
    validator: dataset.validator,
  });

const calendar = (dataset: Dataset) => daysThrough(...provedDays(dataset)!);

/**
 * Returns holdings for each day. A day without blocks has the holdings of the day before. Both lists are ascending and
 * begin with the same day.
 */
function onDays(days: readonly string[], holdings: readonly DayHoldings[]): DayHoldings[] {
  let at = 0;
  return days.map((day) => {
    while (at + 1 < holdings.length && holdings[at + 1]!.day <= day) at++;
    return { ...holdings[at]!, day };
  });
}

const nativeCoin = ({ reference }: Dataset) => reference.rules.denomination(reference.chain.native_denom);

/** Returns the cells of a CSV row. The cell of an unknown reward is empty. */
const withCells = (row: ReturnType<typeof holdingsOf>) => ({
  ...row,
  reward: row.reward ?? '',
  total: row.total ?? '',
  total_without_reward: row.reward === null,
});

const { text, word, number, boolean } = fieldsOf<ReturnType<typeof withCells>>();

/** Columns of the CSV, in the order of the JSON members. */
const HOLDINGS_FIELDS = [
  word('address'),
  word('date'),
  number('liquid'),
  number('staked'),
  number('reward'),
  number('total'),
  text('symbol'),
  number('unbonding'),
];

/** Columns in datasets of single wallets, where the rewards of earlier days are unknown. */
const TRACKED_FIELDS = [...HOLDINGS_FIELDS, boolean('total_without_reward')];

/** Holdings on a day. `reward` is undefined if it is unknown. */
type Point = Omit<DayHoldings, 'reward'> & { readonly reward: bigint | undefined };

function holdingsOf(
  address: string,
  { day, liquid, staked, unbonding, reward }: Point,
  dataset: Dataset,
  isLocal: boolean,
) {
  const { symbol, decimals } = nativeCoin(dataset);
  const amount = (units: bigint) => new ExactNumber(formatDecimal(units, decimals));
  return {
    address,
    date: day,
    liquid: amount(liquid),
    staked: amount(staked + unbonding),
    reward: reward === undefined ? null : amount(reward),
    total: isLocal && reward === undefined ? null : amount(liquid + staked + unbonding + (reward ?? 0n)),
    symbol,
    unbonding: amount(unbonding),
    ...(!isLocal && reward === undefined && { total_without_reward: true }),
  };
}
