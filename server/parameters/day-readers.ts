import { quoted } from '../../pipeline/json/quoted.js';
import { addDays, daysBetween, isDay } from '../../pipeline/ledger/day.js';
import type { ParameterName } from './parameter-schemas.js';
import type { Reading } from './reading.js';
import { rangeOfDays } from './time-range.js';

/** Reads the day at whose end a state is wanted. Defaults to today; later days are refused. */
export function readDate(reading: Reading, name: ParameterName): void {
  const { today } = reading.context;
  readDay(reading, name, today);
  if (reading.values.date > today) reading.fault(name, `is after today, which is ${today}`);
}

export const readSnapshotDate = (reading: Reading, name: ParameterName): void => readDay(reading, name, '');

/** @param usual default if no day is given */
function readDay(reading: Reading, name: ParameterName, usual: string): void {
  const day = reading.text(name);
  if (day !== undefined && !isDay(day)) {
    reading.fault(name, `must be a calendar date, YYYY-MM-DD, not ${quoted(day)}`);
  } else {
    reading.values.date = day ?? usual;
    reading.values.isDated = day !== undefined;
  }
}

/** Reads a calendar year in UTC. It supplies the bounds that `start` and `end` leave open; both must lie in the year. */
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

/** Longest and default length of a price series in days (specification, "Limits"). */
const SERIES_DAYS = { max: 730, default: 90 };

/** Reads the range of a price series. Defaults: `end` is today (on a recording its last day), `start` is 90 days before `end`. */
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
    reading.fault('series_start', `start and end are ${days} days apart; the limit is ${SERIES_DAYS.max} days`);
  }
  reading.values.range = rangeOfDays(start, end);
}
