/** Computes daily prices from quotes by the rules in data/reference/methodology/<version>.json. */
import type { Methodology } from '../../schemas/types.generated.js';
import { addDays } from '../base/values/day.js';
import { Decimal, toUnits } from '../base/values/decimal.js';

/** Prices are in USD per displayed unit (ATOM, not uatom). */
export interface Quote {
  readonly source: string;
  readonly usd: Decimal;
}

export interface DailyQuote {
  readonly usd: Decimal;
  /** Time of the request, YYYY-MM-DD HH:MM:SS. '' for price files, because they need no request. */
  readonly fetched: string;
}

export type DailyQuotes = ReadonlyMap<string, DailyQuote>;

type Parameters = Pick<
  Methodology['parameters'],
  'outlier_percent' | 'readmit_percent' | 'outlier_minimum_sources' | 'price_decimals'
>;

interface DayPrice {
  /** USD per displayed unit, times 10^price_decimals. Null if no price is published for the day. */
  readonly usd: bigint | null;
  readonly sources: readonly string[];
  readonly rejected: readonly string[];
}

interface PricedDay extends DayPrice {
  readonly settled: string;
}

const ALWAYS = '9999';

/**
 * Computes the prices of consecutive days. A source that was rejected on one day must meet a stricter limit on the next
 * day. A quote of the first day does not count for this if it was fetched after all quotes of the next day, because a
 * published price must not change.
 */
export function priceDays(
  quotes: ReadonlyMap<string, DailyQuotes>,
  parameters: Parameters,
): ReadonlyMap<string, DayPrice> {
  const priced = new Map<string, PricedDay>();
  const price = (day: string, until: string): PricedDay => {
    const known = priced.get(day);
    if (known && known.settled <= until) return known;
    const dayQuotes = [...quotes].flatMap(([source, daily]) => {
      const quote = daily.get(day);
      return quote && quote.fetched <= until ? [{ source, ...quote }] : [];
    });
    if (dayQuotes.length === 0) return { usd: null, sources: [], rejected: [], settled: '' };
    const settled = dayQuotes
      .map(({ fetched }) => fetched)
      .sort()
      .at(-1)!;
    const { rejected } = price(addDays(day, -1), settled);
    return { ...priceDay(dayQuotes, parameters, new Set(rejected)), settled };
  };
  const days = new Set([...quotes.values()].flatMap((daily) => [...daily.keys()]));
  for (const day of [...days].sort()) priced.set(day, price(day, ALWAYS));
  return priced;
}

/** @param rejectedBefore sources rejected on the previous day; their quotes must be within readmit_percent */
function priceDay(
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

/**
 * Returns only the outliers that are farthest from the median. A very wrong quote shifts the median, so the caller
 * checks the remaining quotes again.
 */
function farthestOutliers(quotes: readonly Quote[], parameters: Parameters, before: ReadonlySet<string>): Quote[] {
  if (quotes.length < parameters.outlier_minimum_sources) return [];
  const outliers = quotes.filter((quote) => {
    const rest = median(quotes.filter((other) => other !== quote).map((other) => other.usd));
    const limit = before.has(quote.source) ? parameters.readmit_percent : parameters.outlier_percent;
    return deviates(quote.usd, rest, limit);
  });
  if (outliers.length === 0) return [];
  const centre = median(quotes.map((quote) => quote.usd));
  const largest = Decimal.max(...outliers.map(({ usd }) => distance(usd, centre)));
  return outliers.filter(({ usd }) => distance(usd, centre).equals(largest));
}

/**
 * Returns the rounded median of the quotes. Returns null if there are no quotes, if there are only two and they
 * disagree, or if the median rounds to zero.
 */
function agreedPrice(quotes: readonly Quote[], parameters: Parameters): bigint | null {
  const values = quotes.map((quote) => quote.usd).sort(ascending);
  if (values.length === 0) return null;
  if (values.length === 2 && deviates(values[1]!, values[0]!, parameters.outlier_percent)) return null;
  const usd = toUnits(median(values), parameters.price_decimals);
  return usd > 0n ? usd : null;
}

const ascending = (a: Decimal, b: Decimal) => a.comparedTo(b);
const names = (quotes: readonly Quote[]) => quotes.map((quote) => quote.source).sort();

function median(values: readonly Decimal[]): Decimal {
  const sorted = [...values].sort(ascending);
  const [low, high] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return low.plus(high).dividedBy(2);
}

const distance = (a: Decimal, b: Decimal) => a.minus(b).absoluteValue();

const deviates = (value: Decimal, of: Decimal, percent: number) =>
  distance(value, of).times(100).greaterThan(of.times(percent));
