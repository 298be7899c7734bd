import { ExactNumber } from '../../pipeline/base/json/exact-json.js';
import { formatDecimal, PRICE_DECIMALS } from '../../pipeline/base/values/amount.js';
import { daysThrough } from '../../pipeline/base/values/day.js';
import { fieldsOf } from '../../pipeline/reports/field.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { csvAnswer } from '../tax/formats/csv.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';

export const priceSeries = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/price-series',
  summary: 'Published USD reference price of a denom, day by day.',
  description:
    'One point for every UTC day of the range, by the published methodology. ' +
    'A day without a published price has `found` false and `usd` 0.',
  parameters: ['denom', 'chain_or_alias', 'series_start', 'series_end', 'format'],
  response: 'price-series',
  csv: true,
  policy: 'tax',
  handle({ parameters, dataset }): Answer {
    const { chain, denom, range, format } = parameters;
    const points = pointsOf(parameters, dataset);
    if (format === 'csv') {
      // A denom may contain slashes, which are not allowed in file names.
      const fileName = `price-series-${denom.replaceAll('/', '-')}-${range.start}-${range.end}.csv`;
      return csvAnswer(POINT_FIELDS, points, { fileName });
    }
    return { json: { chain, denom, methodology_version: dataset.manifest.methodology_version, points } };
  },
} satisfies Endpoint;

interface PricePoint {
  readonly date: string;
  /** USD per displayed unit; 0 if there is no price, see `found`. */
  readonly usd: ExactNumber;
  readonly found: boolean;
}

const { text, number, boolean } = fieldsOf<PricePoint>();
const POINT_FIELDS = [text('date'), number('usd'), boolean('found')];

function pointsOf({ denom, range }: ValidParameters, dataset: Dataset): PricePoint[] {
  const prices = dataset.prices(denom);
  return daysThrough(range.start!, range.end!).map((date) => {
    const price = prices.get(date);
    return { date, usd: new ExactNumber(formatDecimal(price ?? 0n, PRICE_DECIMALS)), found: price !== undefined };
  });
}
