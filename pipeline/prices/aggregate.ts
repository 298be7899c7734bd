/** Computes the published price of one day from its quotes. Described in data/reference/methodology/<version>.json. */
import type { Methodology } from '../../schemas/types.generated.js';
import { Decimal, toUnits } from '../ledger/decimal.js';
import type { Quote } from './price-source.js';

export type Parameters = Pick<
  Methodology['parameters'],
  'outlier_percent' | 'readmit_percent' | 'outlier_minimum_sources' | 'price_decimals'
>;

export interface DayPrice {
  /** USD per displayed unit in units of 10^-price_decimals; null if no price is published. */
  readonly usd: bigint | null;
  /** Used sources, sorted. */
  readonly sources: readonly string[];
  /** Sources rejected as outliers, sorted. */
  readonly rejected: readonly string[];
}

const ascending = (a: Decimal, b: Decimal) => a.comparedTo(b);
const names = (quotes: readonly Quote[]) => quotes.map((quote) => quote.source).sort();

function median(values: readonly Decimal[]): Decimal {
  const sorted = [...values].sort(ascending);
  const [low, high] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return low.plus(high).dividedBy(2);
}

const distance = (a: Decimal, b: Decimal) => a.minus(b).absoluteValue();

/** Checks whether a value deviates from `of` by more than `percent` %. */
const deviates = (value: Decimal, of: Decimal, percent: number) =>
  distance(value, of).times(100).greaterThan(of.times(percent));

/**
 * Returns the outliers farthest from the overall median. A single wild quote also shifts the median of honest quotes,
 * so the rest is judged again.
 */
function farthestOutliers(quotes: readonly Quote[], parameters: Parameters, before: ReadonlySet<string>): Quote[] {
  if (quotes.length < parameters.outlier_minimum_sources) return [];
  const outliers = quotes.filter((quote) => {
    const rest = median(quotes.filter((other) => other !== quote).map((other) => other.usd));
    return deviates(
      quote.usd,
      rest,
      before.has(quote.source) ? parameters.readmit_percent : parameters.outlier_percent,
    );
  });
  if (outliers.length === 0) return [];
  const centre = median(quotes.map((quote) => quote.usd));
  const largest = Decimal.max(...outliers.map(({ usd }) => distance(usd, centre)));
  return outliers.filter(({ usd }) => distance(usd, centre).equals(largest));
}

/**
 * Returns the price of an asset's UTC day.
 * @param quotes at most one per source
 * @param rejectedBefore sources rejected on the previous day; they return only within readmit_percent
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

/** Returns the rounded median; null without quotes, if two disagree, or if it rounds to zero. */
function agreedPrice(quotes: readonly Quote[], parameters: Parameters): bigint | null {
  const values = quotes.map((quote) => quote.usd).sort(ascending);
  if (values.length === 0) return null;
  if (values.length === 2 && deviates(values[1]!, values[0]!, parameters.outlier_percent)) return null;
  const usd = toUnits(median(values), parameters.price_decimals);
  return usd > 0n ? usd : null;
}
