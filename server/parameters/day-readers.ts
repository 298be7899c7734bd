/** Readers of UTC days, and of ranges whose ends are days. */
import { quoted } from '../../pipeline/json/quoted.js';
import { addDays, daysBetween, isDay } from '../../pipeline/ledger/day.js';
import type { ParameterName } from './parameter-schemas.js';
import type { Reading } from './reading.js';
import { rangeOfDays } from './time-range.js';

/** Reads the day at whose end something stood; today when none is given, and no day to come. */
export function readDate(reading: Reading, name: ParameterName): void {
  const { today } = reading.context;
  readDay(reading, name, today);
  if (reading.values.date > today) reading.fault(name, `is after today, which is ${today}`);
}

/** Reads the day of a snapshot; the latest when none is given. */
export const readSnapshotDate = (reading: Reading, name: ParameterName): void => readDay(reading, name, '');

/** Reads a day of the calendar. @param usual stands for a day that is not given */
function readDay(reading: Reading, name: ParameterName, usual: string): void {
  const day = reading.text(name);
  if (day !== undefined && !isDay(day)) {
    reading.fault(name, `must be a day of the calendar, YYYY-MM-DD, not ${quoted(day)}`);
  } else {
    reading.values.date = day ?? usual;
    reading.values.isDated = day !== undefined;
  }
}

/** Reads a calendar year in UTC: the bounds of the range that `start` and `end`, which lie in it, leave open. */
export function readYear(reading: Reading, name: ParameterName): void {
  const year = reading.text(name);
  if (year === undefined) return;
  const { range } = reading.values;
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  const [start, end] = [range.start ?? first, range.end ?? last];
  const isOutside = (day: string) => day < first || day > last;
  if (!isDay(first)) reading.fault(name, `must be a year, YYYY, not ${quoted(year)}`);
  else if (isOutside(start) || isOutside(end)) reading.fault(name, 'start and end must lie in the year');
  else reading.values.range = rangeOfDays(start, end);
}

/** Longest price series, in days between its ends, and its length when no start is given (specification, "Limits"). */
const SERIES_DAYS = { max: 730, default: 90 };

/** Reads the range of a price series, two days. The defaults are today, and 90 days before the end. A recording ends with its index. */
export function readSeriesRange(reading: Reading): void {
  const { today, seriesEnd = today } = reading.context;
  const read = (name: ParameterName, usual: () => string) => {
    const text = reading.text(name);
    if (text === undefined || isDay(text)) return text ?? usual();
    reading.fault(name, `must be YYYY-MM-DD, not ${quoted(text)}`);
    return undefined;
  };
  const end = read('series_end', () => seriesEnd);
  const start = read('series_start', () => addDays(end ?? seriesEnd, -SERIES_DAYS.default));
  if (start === undefined || end === undefined) return;
  const days = daysBetween(start, end);
  if (days < 0) reading.fault('series_start', `is after the end: ${start} is later than ${end}`);
  if (days > SERIES_DAYS.max) {
    reading.fault('series_start', `start and end are ${days} days apart, at most ${SERIES_DAYS.max} are answered`);
  }
  reading.values.range = rangeOfDays(start, end);
}
