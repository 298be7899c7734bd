/** Days of time zones. The rules of a zone are those of the runtime's database (Intl). */
import { addDays, DAY_MS, dayOf, startOf } from './day.js';

export interface Zone {
  readonly name: string;
  /** Returns the day, YYYY-MM-DD. @param time UTC, YYYY-MM-DD HH:MM:SS */
  dayOf(time: string): string;
  /** Returns the first instant of a day in milliseconds since 1970. It may be later than 0:00, if clocks go forward. */
  startOf(day: string): number;
  /** Returns an instant as YYYY-MM-DDTHH:MM:SS±hh:mm. @param time UTC, YYYY-MM-DD HH:MM:SS */
  localText(time: string): string;
}

export const UTC: Zone = {
  name: 'UTC',
  dayOf: (time) => time.slice(0, 10),
  startOf,
  localText: (time) => `${time.replace(' ', 'T')}+00:00`,
};

const zones = new Map<string, Zone>([[UTC.name, UTC]]);

/** @throws RangeError if the runtime does not know the name */
export function zoneNamed(name = UTC.name): Zone {
  const zone = zones.get(name) ?? new IntlZone(name);
  zones.set(name, zone);
  return zone;
}

const msOf = (time: string) => Date.parse(`${time.slice(0, 10)}T${time.slice(11)}Z`);

const LAST = '9999-12-31 23:59:59';

/** Returns a time in milliseconds since 1970 as YYYY-MM-DD HH:MM:SS, UTC. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

export const firstSecond = (zone: Zone, day: string): string =>
  zone === UTC ? `${day} 00:00:00` : timeText(zone.startOf(day));

export const lastSecond = (zone: Zone, day: string): string =>
  zone === UTC || day === LAST.slice(0, 10)
    ? `${day}${LAST.slice(10)}`
    : timeText(zone.startOf(addDays(day, 1)) - 1000);

/** The time from an instant on, until the next offset. Both in milliseconds. */
interface Span {
  readonly from: number;
  readonly offset: number;
}

const WEEK_MS = 7 * DAY_MS;

/** Years whose offsets are looked up. Earlier and later times have the offsets of the first and the last one. */
const YEARS = { first: 1970, last: 2100 };

class IntlZone implements Zone {
  private readonly format: Intl.DateTimeFormat;
  private readonly years = new Map<number, readonly Span[]>();

  constructor(readonly name: string) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    const calendar = { calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' } as const;
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: name, ...numeric, second: 'numeric', ...calendar });
  }

  dayOf(time: string): string {
    const ms = msOf(time);
    return dayOf(ms + this.offsetAt(ms));
  }

  startOf(day: string): number {
    const midnight = startOf(day);
    const [first, last] = [midnight - DAY_MS, midnight + DAY_MS];
    const spans = [first, last].flatMap((ms) => this.spansOf(ms)).filter((span, i, all) => all.indexOf(span) === i);
    const starts = spans.map(({ from, offset }, i) => {
      const start = Math.max(i === 0 ? -Infinity : from, midnight - offset);
      return start < (spans[i + 1]?.from ?? Infinity) ? start : Infinity;
    });
    return Math.min(...starts);
  }

  localText(time: string): string {
    const ms = msOf(time);
    const offset = this.offsetAt(ms);
    const minutes = Math.round(Math.abs(offset) / 60_000);
    const two = (number: number) => String(number).padStart(2, '0');
    const shown = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    return `${timeText(ms + offset).replace(' ', 'T')}${offset < 0 ? '-' : '+'}${shown}`;
  }

  private offsetAt(ms: number): number {
    return this.spansOf(ms).findLast(({ from }) => from <= ms)!.offset;
  }

  /** Returns the offsets of the UTC year of an instant. */
  private spansOf(ms: number): readonly Span[] {
    const year = Math.min(Math.max(new Date(ms).getUTCFullYear(), YEARS.first), YEARS.last);
    const known = this.years.get(year);
    if (known) return known;
    const [start, last] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1) - 1000];
    const spans: Span[] = [{ from: year === YEARS.first ? -Infinity : start, offset: this.lookUp(start) }];
    // No zone has changed its offset twice in a week.
    for (let [before, at] = [start, start]; before < last; before = at) {
      at = Math.min(before + WEEK_MS, last);
      const offset = this.lookUp(at);
      if (spans.at(-1)!.offset !== offset) spans.push({ from: this.changeBetween(before, at), offset });
    }
    this.years.set(year, spans);
    return spans;
  }

  /** Returns the instant of the only change of the offset in a span of time. */
  private changeBetween(before: number, after: number): number {
    let [low, high] = [before, after];
    const offset = this.lookUp(low);
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (this.lookUp(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }

  private lookUp(ms: number): number {
    // '12/31/2026, 15:00:00': parts of the text would take three times as long.
    const [month, day, year, hour, minute, second] = this.format.format(ms).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - ms;
  }
}
