import { addDays } from '../ledger/day.js';
import { aggregateDay, type DayPrice, type Parameters } from './aggregate.js';
import type { DailyQuotes } from './price-source.js';

interface JudgedDay extends DayPrice {
  /** Fetch time of its latest quote. */
  readonly settled: string;
}

const ALWAYS = '9999';

/**
 * Computes all days in order. A rejection on the previous day counts only if its quotes were fetched before the day was
 * priced; so published prices stay the same.
 */
export function judgeDays(
  quotes: ReadonlyMap<string, DailyQuotes>,
  parameters: Parameters,
): ReadonlyMap<string, JudgedDay> {
  const judged = new Map<string, JudgedDay>();
  /** Uses only quotes fetched until then. */
  const judge = (day: string, until: string): JudgedDay => {
    const known = judged.get(day);
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
    const { rejected } = judge(addDays(day, -1), settled);
    return { ...aggregateDay(dayQuotes, parameters, new Set(rejected)), settled };
  };
  const days = new Set([...quotes.values()].flatMap((daily) => [...daily.keys()]));
  for (const day of [...days].sort()) judged.set(day, judge(day, ALWAYS));
  return judged;
}
