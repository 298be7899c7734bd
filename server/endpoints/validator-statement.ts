import { addDays } from '../../pipeline/base/values/day.js';
import { type PayoutDay, sumPayouts } from '../../pipeline/publish/wallet-index/payouts-format.js';
import { indexBounds, isCovered } from '../../pipeline/reports/coverage.js';
import type { StatementCoverage, StatementMonth } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { Problem } from '../http/problem.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { accruedFigures, MONTH_FIELDS, paidFigures } from '../tax/dataset/statement-figures.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf, type TimeRange } from '../tax/parameters/time-range.js';

export const validatorStatement = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/validator-statement',
  summary: 'Commission and delegator rewards that a validator paid out, by month.',
  description:
    'Commission that the operator withdrew, and rewards in the native coin that the validator’s delegators withdrew, by ' +
    'claims or automatically. Rewards of the operator’s own delegation are shown separately. Amounts count on the day ' +
    'of withdrawal, at the published price of that UTC day. Commission in other denoms is listed separately, and ' +
    'each month includes the commission accrued and not withdrawn at its end.',
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
    const rows = months.map(({ month, days }) => monthJson(validator, month, days, range, dataset));
    const coverage = coverageOf(range, dataset);
    if (format === 'csv') {
      const fileName = fileNameOf('validator-statement', [validator], daysOf(range, dataset));
      return csvAnswer(MONTH_FIELDS, rows, { fileName, coverage });
    }
    const total = paidFigures(sumPayouts(months.flatMap(({ days }) => days)), dataset.reference.rules);
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

/** Returns months of the index that overlap the range. */
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

const monthJson = (
  operator: string,
  month: string,
  days: readonly PayoutDay[],
  range: TimeRange,
  dataset: Dataset,
): StatementMonth => ({
  month,
  ...paidFigures(sumPayouts(days), dataset.reference.rules),
  incomplete: isWaiting(dataset) || !isWhole(month, range, dataset),
  ...accruedFigures(dataset.accrued(operator).get(month), dataset.reference.rules),
});

/** Returns whether the range and the index contain every day of a month. A missing bound does not limit the range. */
function isWhole(month: string, range: TimeRange, { manifest }: Dataset): boolean {
  const { first, last } = indexBounds(manifest);
  const [begin, end] = [`${month}-01 00:00:00`, `${addDays(`${monthAfter(month)}-01`, -1)} 23:59:59`];
  const from = range.start === null && begin < first ? first : begin;
  const to = range.end === null && end > last ? last : end;
  return range.from <= from && range.to >= to && isCovered(manifest, from, to);
}

/** Returns whether another program version computed the amounts. */
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
