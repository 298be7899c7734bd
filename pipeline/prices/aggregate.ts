/**
 * The price methodology as a pure function: the quotes of one day → the one price that is published, or none. Its description for
 * readers and its parameters are in data/reference/methodology/<version>.json.
 */
import type { Methodology } from '../../schemas/types.generated.js';
import { Decimal, toUnits } from '../ledger/decimal.js';
import type { Quote } from './price-source.js';

/** The parameters of the methodology that decide a price. */
export type Parameters = Pick<
  Methodology['parameters'],
  'outlier_percent' | 'readmit_percent' | 'outlier_minimum_sources' | 'price_decimals'
>;

/** The outcome of one asset's day. */
export interface DayPrice {
  /** USD for one displayed unit in units of 10^-price_decimals, or null: nothing is published. */
  readonly usd: bigint | null;
  /** Names of the sources used, in alphabetical order. */
  readonly sources: readonly string[];
  /** Names of those left out as outliers, in alphabetical order. */
  readonly rejected: readonly string[];
}

const ascending = (a: Decimal, b: Decimal) => a.comparedTo(b);
const names = (quotes: readonly Quote[]) => quotes.map((quote) => quote.source).sort();

/** The median of at least one value; of an even number the mean of the middle two. */
function median(values: readonly Decimal[]): Decimal {
  const sorted = [...values].sort(ascending);
  const [low, high] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return low.plus(high).dividedBy(2);
}

const distance = (a: Decimal, b: Decimal) => a.minus(b).absoluteValue();

/** Tells whether a value is more than `percent` per cent of `of` away from it. */
const isOff = (value: Decimal, of: Decimal, percent: number) =>
  distance(value, of).times(100).greaterThan(of.times(percent));

/**
 * The outliers that are left out next. A single wild quote also pulls the median that the honest ones are compared with,
 * so that with three sources all may look off: only those farthest from the median of all go, then the rest is judged
 * anew. Equally far quotes go together, because nothing speaks for one of them.
 */
function farthestOutliers(quotes: readonly Quote[], parameters: Parameters, before: ReadonlySet<string>): Quote[] {
  if (quotes.length < parameters.outlier_minimum_sources) return [];
  const outliers = quotes.filter((quote) => {
    const rest = median(quotes.filter((other) => other !== quote).map((other) => other.usd));
    return isOff(quote.usd, rest, before.has(quote.source) ? parameters.readmit_percent : parameters.outlier_percent);
  });
  if (outliers.length === 0) return [];
  const centre = median(quotes.map((quote) => quote.usd));
  const largest = Decimal.max(...outliers.map(({ usd }) => distance(usd, centre)));
  return outliers.filter(({ usd }) => distance(usd, centre).equals(largest));
}

/**
 * The published price of one asset's UTC day; the order of the quotes has no influence.
 * @param quotes at most one a source
 * @param rejectedBefore sources that were rejected on the day before: they come back within readmit_percent only
 */
export function aggregateDay(
  quotes: readonly Quote[],
  parameters: Parameters,
  rejectedBefore: ReadonlySet<string> = new Set(),
): DayPrice {
  let used = quotes;
  const rejected: Quote[] = [];
  for (;;) {
    const outliers = farthestOutliers(used, parameters, rejectedBefore);
    if (outliers.length === 0) break;
    rejected.push(...outliers);
    used = used.filter((quote) => !outliers.includes(quote));
  }
  return { usd: agreedPrice(used, parameters), sources: names(used), rejected: names(rejected) };
}

/** The median of the quotes left, rounded once; null when there is none, two disagree, or it rounds to zero. */
function agreedPrice(quotes: readonly Quote[], parameters: Parameters): bigint | null {
  const values = quotes.map((quote) => quote.usd).sort(ascending);
  if (values.length === 0) return null;
  if (values.length === 2 && isOff(values[1]!, values[0]!, parameters.outlier_percent)) return null;
  const usd = toUnits(median(values), parameters.price_decimals);
  return usd > 0n ? usd : null;
}
