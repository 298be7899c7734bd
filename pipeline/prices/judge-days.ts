/** The methodology day by day: a source that was rejected on one day is remembered on the next. */

import { addDays } from '../ledger/day.js';
import { aggregateDay, type DayPrice, type Parameters } from './aggregate.js';
import type { DailyQuotes } from './price-source.js';

interface JudgedDay extends DayPrice {
  /** When the last of its quotes was fetched. */
  readonly settled: string;
}

const ALWAYS = '9999';

/**
 * Judges every day of one asset that has a quote, in ascending order. A published price never changes: the memory of rejected sources
 * uses only quotes that were fetched before that day was priced.
 * @param quotes by source
 */
export function judgeDays(
  quotes: ReadonlyMap<string, DailyQuotes>,
  parameters: Parameters,
): ReadonlyMap<string, JudgedDay> {
  const judged = new Map<string, JudgedDay>();
  /** Judges a day by the quotes that were fetched until then. */
  const judge = (day: string, until: string): JudgedDay => {
    const known = judged.get(day);
    if (known && known.settled <= until) return known;
    const said = [...quotes].flatMap(([source, daily]) => {
      const quote = daily.get(day);
      return quote && quote.fetched <= until ? [{ source, ...quote }] : [];
    });
    if (said.length === 0) return { usd: null, sources: [], rejected: [], settled: '' };
    const settled = said
      .map(({ fetched }) => fetched)
      .sort()
      .at(-1)!;
    const { rejected } = judge(addDays(day, -1), settled);
    return { ...aggregateDay(said, parameters, new Set(rejected)), settled };
  };
  const days = new Set([...quotes.values()].flatMap((daily) => [...daily.keys()]));
  for (const day of [...days].sort()) judged.set(day, judge(day, ALWAYS));
  return judged;
}
