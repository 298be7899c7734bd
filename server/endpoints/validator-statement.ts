import { formatCents, formatDecimal } from '../../pipeline/ledger/amount.js';
import { isCovered } from '../../pipeline/reports/coverage.js';
import type { Field } from '../../pipeline/reports/field.js';
import { type PayoutDay, type PayoutSum, sumPayouts } from '../../pipeline/wallet-index/payouts-format.js';
import type { StatementCoverage, StatementMonth, StatementTotal } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Answer, Endpoint } from '../endpoint.js';
import { CSV_TYPE, csvChunks, csvFileName } from '../formats/csv.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { addDays, daysOf, type TimeRange } from '../parameters/time-range.js';
import { Problem } from '../problem.js';

export const validatorStatement = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/validator-statement',
  summary: 'Commission and delegator rewards that a validator paid out, by month.',
  description:
    'Of the native coin: what its operator withdrew as commission, and what delegators withdrew through it, by ' +
    'claims and by whatever else pays rewards out. Counted when it was withdrawn, worth the published price of ' +
    'that UTC day.',
  parameters: ['validator', 'chain', 'start_day', 'end_day', 'format'],
  response: 'validator-statement',
  csv: true,
  policy: 'tax',
  problems: ['not_found'],
  admit({ parameters: { validator }, dataset }): void {
    if (dataset.validators().has(validator)) return;
    throw new Problem('not_found', `the chain has no validator ${validator}, and had none since the index began`);
  },
  handle({ parameters, dataset }): Answer {
    const { validator, range, format } = parameters;
    const months = monthsOf(range, dataset).map((month) => ({ month, days: daysIn(month, parameters, dataset) }));
    const rows = months.map(({ month, days }) => monthJson(month, days, range, dataset));
    const coverage = coverageOf(range, dataset);
    if (format === 'csv') {
      const fileName = csvFileName('validator-statement', [validator], daysOf(range, dataset));
      return { chunks: csvChunks(MONTH_FIELDS, [rows]), type: CSV_TYPE, fileName, coverage };
    }
    const total: StatementTotal = sumJson(sumPayouts(months.flatMap(({ days }) => days)), dataset);
    return {
      json: {
        validator,
        moniker: dataset.validators().get(validator)!.moniker,
        jurisdiction: dataset.reference.countryOf(validator),
        methodology_version: dataset.manifest.methodology_version,
        recognition_policy: dataset.reference.recognitionPolicy.policy,
        months: rows,
        total,
        coverage,
      },
    };
  },
} satisfies Endpoint;

type Member = keyof StatementMonth & string;
const text = (name: Member): Field<StatementMonth> => ({ name, kind: 'text', of: (row) => String(row[name]) });
const decimal = (name: Member): Field<StatementMonth> => ({ ...text(name), kind: 'decimal' });
const number = (name: Member): Field<StatementMonth> => ({ ...text(name), kind: 'number' });

/** The members of a month, in the order of JSON and CSV. */
const MONTH_FIELDS: readonly Field<StatementMonth>[] = [
  text('month'),
  text('symbol'),
  decimal('commission_amount'),
  decimal('commission_usd'),
  decimal('delegator_rewards_amount'),
  decimal('delegator_rewards_usd'),
  number('reward_events'),
  number('unique_delegators'),
  number('price_missing_days'),
  number('price_missing_events'),
  { ...text('incomplete'), kind: 'boolean' },
];

/** The months of the index that the range touches. */
function monthsOf(range: TimeRange, { indexStart, indexEnd }: Dataset): string[] {
  const monthOf = (day: string) => day.slice(0, 7);
  const [from, to] = [range.from.slice(0, 10), range.to.slice(0, 10)];
  const first = monthOf(from > indexStart ? from : indexStart);
  const last = monthOf(to < indexEnd ? to : indexEnd);
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}

function monthAfter(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 7);
}

function daysIn(month: string, { validator, range }: ValidParameters, dataset: Dataset): PayoutDay[] {
  const [from, to] = [range.from.slice(0, 10), range.to.slice(0, 10)];
  return dataset.payouts(validator, month).filter(({ day }) => day >= from && day <= to);
}

const monthJson = (month: string, days: readonly PayoutDay[], range: TimeRange, dataset: Dataset): StatementMonth => ({
  month,
  ...sumJson(sumPayouts(days), dataset),
  incomplete: isWaiting(dataset) || !isWhole(month, range, dataset),
});

/** Tells whether every day of a month is asked for and indexed. */
function isWhole(month: string, range: TimeRange, { manifest }: Dataset): boolean {
  const from = `${month}-01 00:00:00`;
  const to = `${addDays(`${monthAfter(month)}-01`, -1)} 23:59:59`;
  return range.from <= from && range.to >= to && isCovered(manifest, from, to);
}

function sumJson(sum: PayoutSum, { reference }: Dataset): StatementTotal {
  const { symbol, decimals } = reference.rules.denomination(reference.chain.native_denom);
  return {
    symbol,
    commission_amount: formatDecimal(sum.commission, decimals),
    commission_usd: formatCents(sum.commissionUsd),
    delegator_rewards_amount: formatDecimal(sum.rewards, decimals),
    delegator_rewards_usd: formatCents(sum.rewardsUsd),
    reward_events: sum.rewardEvents,
    unique_delegators: sum.uniqueDelegators,
    price_missing_days: sum.priceMissingDays,
    price_missing_events: sum.priceMissingEvents,
  };
}

/** Tells whether the figures are those of another methodology or classification than the program's. */
const isWaiting = ({ otherVersions }: Dataset) => otherVersions.length > 0;

function coverageOf(range: TimeRange, dataset: Dataset): StatementCoverage {
  const { otherVersions, time } = dataset;
  const coverage = dataset.coverageOf(range);
  const { index_start, index_end, complete, note, ...extent } = coverage;
  const waiting = isWaiting(dataset);
  const replay = waiting ? ` Figures are those of ${otherVersions.join(' and ')}, until the replay is done.` : '';
  return {
    index_start,
    index_end,
    replay_cursor: waiting ? '' : time,
    complete: complete && !waiting,
    ...extent,
    note: note + replay,
  };
}
