/** The range of a price series, whose ends are days. */
import { addDays, daysBetween, isDay } from '../../pipeline/ledger/day.js';
import type { ParameterName } from './parameter-schemas.js';
import { type Reading, shown } from './reading.js';

/** Longest price series, in days between its ends, and its length when no start is given (specification, "Limits"). */
const SERIES_DAYS = { max: 730, default: 90 };

/** Reads the range of a price series. Both ends are days and have defaults: today, and 90 days before the end. */
export function readSeriesRange(reading: Reading): void {
  const read = (name: ParameterName, usual: () => string) => {
    const text = reading.text(name);
    if (text === undefined || isDay(text)) return text ?? usual();
    reading.fault(name, `must be YYYY-MM-DD, not ${shown(text)}`);
    return undefined;
  };
  const end = read('series_end', () => reading.context.today);
  const start = read('series_start', () => addDays(end ?? reading.context.today, -SERIES_DAYS.default));
  if (start === undefined || end === undefined) return;
  const days = daysBetween(start, end);
  if (days < 0) reading.fault('series_start', `is after the end: ${start} is later than ${end}`);
  if (days > SERIES_DAYS.max) {
    reading.fault('series_start', `start and end are ${days} days apart, at most ${SERIES_DAYS.max} are answered`);
  }
  reading.values.range = { start, end, from: `${start} 00:00:00`, to: `${end} 23:59:59` };
}
