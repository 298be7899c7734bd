import { formatCents, formatDecimal, valueInCents } from '../../pipeline/base/values/amount.js';
import { addDays, daysThrough } from '../../pipeline/base/values/day.js';
import { openingHeight } from '../../pipeline/books/reports/coverage.js';
import type { ClosedDay } from '../../pipeline/holdings/day-holdings.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { type Dataset, rowsWhere } from '../tax/dataset/dataset.js';
import { amountOf, blockBefore, type Claims, nanosOf, unclaimedAt } from '../tax/dataset/instants.js';
import { trackedHoldingsAt } from '../tax/dataset/tracked-instants.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { isInRange } from '../tax/parameters/time-range.js';
import { incompleteWallet, requireInstants } from './require-instants.js';

export const rewards = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/rewards',
  summary: 'Staking rewards by day, month or year: earned, paid out and unclaimed.',
  description:
    'earned = paid + unclaimed − unclaimed at the end of the period before. Rewards of delegations only, without ' +
    'commission and tokenized shares. Periods are UTC and contain whole days with known holdings; the day of the last ' +
    'block is left out. value_paid is the sum of the payments at the prices of their days, and value_at_close is the ' +
    'value of the unclaimed coins at the price of the last day. Both are null if a price is missing. Amounts are null if ' +
    'they are too large for the dataset. In datasets of single wallets, unclaimed is known where /holdings has it.',
  parameters: ['address', 'chain', 'start_day', 'end_day', 'interval'],
  response: 'rewards',
  policy: 'tax',
  problems: ['holdings_incomplete'],
  admit({ parameters, dataset }): void {
    requireInstants(dataset);
    const [incomplete] = dataset.incompleteWallets(parameters.addresses);
    if (incomplete !== undefined) throw incompleteWallet(dataset, incomplete);
  },
  // Days need every delegation's reward at the end of every day.
  isExpensive: ({ interval }) => interval === 'day',
  handle({ parameters, dataset }): Answer {
    const { addresses, range, interval } = parameters;
    const periods = periodsOf(parameters, dataset);
    const rows = addresses.flatMap((address) => rewardRows(address, periods, dataset));
    return { json: { interval, periods: rows, coverage: dataset.coverageOf(range, addresses) } };
  },
} satisfies Endpoint;

interface Period {
  /** YYYY-MM-DD, YYYY-MM or YYYY. */
  readonly name: string;
  readonly first: string;
  readonly last: string;
}

const NAME_LENGTH: Readonly<Record<string, number>> = { day: 10, month: 7, year: 4 };

/** Returns the periods of the requested days that are over and have known holdings. */
function periodsOf({ range, interval }: ValidParameters, dataset: Dataset): Period[] {
  const first = dataset.manifest.own_wallets ? dataset.indexStart : closedDays(dataset)[0]?.day;
  const { holdings_stop } = dataset.manifest;
  const end = holdings_stop === null ? dataset.indexEnd : holdings_stop.day;
  if (first === undefined) return [];
  const days = daysThrough(first, addDays(end, -1)).filter((day) => isInRange(`${day} 00:00:00`, range));
  const byName = new Map<string, Period>();
  for (const day of days) {
    const name = day.slice(0, NAME_LENGTH[interval]);
    byName.set(name, { name, first: byName.get(name)?.first ?? day, last: day });
  }
  return [...byName.values()];
}

/** Returns the days that are over and end after the opening holdings. */
function closedDays(dataset: Dataset) {
  const opening = openingHeight(dataset.manifest.coverage)!;
  return dataset.days().filter(({ day, close_height }) => close_height > opening && day < dataset.indexEnd);
}

function rewardRows(address: string, periods: readonly Period[], dataset: Dataset) {
  if (periods.length === 0) return [];
  const payments = paymentsOf(address, dataset);
  const closes = closedDays(dataset);
  let before = unclaimedOn(address, addDays(periods[0]!.first, -1), closes, dataset);
  return periods.flatMap((period) => {
    const unclaimed = unclaimedOn(address, period.last, closes, dataset);
    const paid = payments.filter(({ day }) => day >= period.first && day <= period.last);
    const { native_denom: native } = dataset.reference.chain;
    const known = [before, unclaimed].flatMap((claims) => (claims ? [...claims.keys()] : [native]));
    const found = new Set([...known, ...paid.map(({ denom }) => denom)]);
    const denoms = [...found].sort((a, b) => (a === native ? -1 : b === native ? 1 : a < b ? -1 : 1));
    const rows = denoms.map((denom) => {
      const paidInDenom = paid.filter((payment) => payment.denom === denom);
      const sums = { unclaimed: amountOf(unclaimed, denom), before: amountOf(before, denom) };
      return rewardRow({ address, period, denom, paid: paidInDenom, ...sums }, dataset);
    });
    before = unclaimed;
    return rows;
  });
}

/**
 * Returns the unclaimed coins at the end of a day, or with which holdings begin.
 * @returns undefined if they are unknown, which happens only in datasets of single wallets
 */
function unclaimedOn(address: string, day: string, closes: readonly ClosedDay[], dataset: Dataset): Claims | undefined {
  if (dataset.manifest.own_wallets) {
    const height = blockBefore(dataset, nanosOf(addDays(day, 1)))?.height ?? openingHeight(dataset.manifest.coverage)!;
    return trackedHoldingsAt(dataset, address, height)?.unclaimed;
  }
  const close = closes.findLast((closed) => closed.day <= day);
  return close ? unclaimedAt(dataset, address, close.close_height)! : openingRewards(address, closes, dataset);
}

/** Returns the rewards that were unclaimed when holdings begin. They follow from the first month. */
function openingRewards(address: string, closes: readonly ClosedDay[], dataset: Dataset): Claims {
  const month = closes[0]!.day.slice(0, 7);
  const rows = dataset.rewardMonths(address).filter((row) => row.month === month);
  return new Map(
    rows
      .map(({ denom, earned, paid, unclaimed }) => [denom, growth(paid, unclaimed, earned)] as const)
      .filter(([, amount]) => amount !== 0n),
  );
}

/** Returns paid + unclaimed − before; null if one of them is unknown. */
const growth = (paid: bigint | null, unclaimed: bigint | null, before: bigint | null) =>
  paid === null || unclaimed === null || before === null ? null : paid + unclaimed - before;

interface Payment {
  readonly day: string;
  readonly denom: string;
  readonly amount: bigint;
  readonly price: bigint | null;
}

function paymentsOf(address: string, dataset: Dataset): Payment[] {
  const opening = openingHeight(dataset.manifest.coverage)!;
  const isPayment = (row: { category: string; height: number }) =>
    row.category === 'staking_reward' && row.height > opening;
  return rowsWhere([address], dataset, isPayment).map((row) => ({
    day: row.time.slice(0, 10),
    denom: row.received_denom!,
    amount: row.received_amount!,
    price: row.received_price,
  }));
}

interface Sums {
  readonly address: string;
  readonly period: Period;
  readonly denom: string;
  readonly paid: readonly Payment[];
  readonly unclaimed: bigint | null;
  readonly before: bigint | null;
}

function rewardRow({ address, period, denom, paid, unclaimed, before }: Sums, dataset: Dataset) {
  const { symbol, decimals } = dataset.reference.rules.denomination(denom);
  const isInRows = !dataset.manifest.oversized.some((token) => token.denom === denom);
  const sum = isInRows ? paid.reduce((total, { amount }) => total + amount, 0n) : null;
  const amount = (units: bigint | null) => (units === null ? null : formatDecimal(units, decimals));
  const price = dataset.prices(denom).get(period.last);
  const isPriced = isInRows && paid.every((payment) => payment.price !== null);
  const cents = paid.reduce((total, one) => total + valueInCents(one.amount, decimals, one.price ?? 0n), 0n);
  const hasValue = unclaimed !== null && (unclaimed === 0n || price !== undefined);
  return {
    address,
    period: period.name,
    symbol,
    denom,
    earned: amount(growth(sum, unclaimed, before)),
    paid: amount(sum),
    unclaimed: amount(unclaimed),
    value_paid: isPriced ? formatCents(cents) : null,
    value_at_close: hasValue ? formatCents(valueInCents(unclaimed, decimals, price ?? 0n)) : null,
  };
}
