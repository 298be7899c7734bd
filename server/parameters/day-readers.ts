/** Readers of one UTC day. */
import { isDay } from '../../pipeline/ledger/day.js';
import type { ParameterName } from './parameter-schemas.js';
import { type Reading, shown } from './reading.js';

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
    reading.fault(name, `must be a day of the calendar, YYYY-MM-DD, not ${shown(day)}`);
  } else {
    reading.values.date = day ?? usual;
    reading.values.isDated = day !== undefined;
  }
}
