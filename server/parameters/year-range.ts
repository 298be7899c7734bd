/** The range of a calendar year. */
import { isDay } from '../../pipeline/ledger/day.js';
import type { ParameterName } from './parameter-schemas.js';
import { type Reading, shown } from './reading.js';

/** Reads a calendar year in UTC: the bounds of the range that `start` and `end`, which lie in it, leave open. */
export function readYear(reading: Reading, name: ParameterName): void {
  const year = reading.text(name);
  if (year === undefined) return;
  const { range } = reading.values;
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  const [start, end] = [range.start ?? first, range.end ?? last];
  const isOutside = (day: string) => day < first || day > last;
  if (!isDay(first)) reading.fault(name, `must be a year, YYYY, not ${shown(year)}`);
  else if (isOutside(start) || isOutside(end)) reading.fault(name, 'start and end must lie in the year');
  else reading.values.range = { start, end, from: `${start} 00:00:00`, to: `${end} 23:59:59` };
}
