/** Days of time zones. The zones are those of Node.js, which has the IANA time zone database. */
import { DAY_MS, startOf } from './day.js';

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError if the zone is unknown */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const [numeric, hourCycle] = ['numeric', 'h23'] as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  const format = new Intl.DateTimeFormat('en-US', { ...parts, hourCycle, timeZone });
  formats.set(timeZone, format);
  return format;
}

/** Returns true for a name or a link of the zone database, in any letter case. */
export function isZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** Returns what the zone's clocks show, in milliseconds as if the zone were UTC. @param time a whole second */
function localTime(time: number, zone: string): number {
  const values = new Map(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year, month, day] = [values.get('year')!, values.get('month')!, values.get('day')!];
  return Date.UTC(year, month - 1, day, values.get('hour'), values.get('minute'), values.get('second'));
}

/**
 * Returns the first instant of a day in a time zone, in milliseconds since 1970. If clocks skip midnight, the day begins
 * with the change. If midnight comes twice, the day begins with the first one.
 */
export function startInZone(day: string, zone: string): number {
  const midnight = startOf(day);
  const offsetAt = (time: number) => localTime(time, zone) - time;
  const [before, after] = [midnight - offsetAt(midnight - DAY_MS), midnight - offsetAt(midnight + DAY_MS)];
  const start = [before, after].find((time) => localTime(time, zone) === midnight);
  if (start !== undefined) return start;
  let [low, high] = [after, before];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (localTime(middle, zone) < midnight) low = middle;
    else high = middle;
  }
  return high;
}
