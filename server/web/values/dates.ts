import { ENGLISH, LOCALE } from './language.js';

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const asInstant = (day: string) => new Date(`${day}T00:00:00Z`);
const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = asInstant(text);
  return !Number.isNaN(instant.getTime()) && dayOf(instant) === text;
}

/** Formats days as a language writes them. The examples are English. */
export function daysIn(locale: string) {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (day: string) => format(asInstant(day));
  };
  const [medium, month, short] = [
    format({ dateStyle: 'medium' }),
    format({ year: 'numeric', month: 'short' }),
    format({ month: 'short', day: 'numeric' }),
  ];
  const isEnglish = locale === ENGLISH;
  const monthName = (day: string) => MONTHS[Number(day.slice(5, 7)) - 1];
  /** Converts '2026-03-01' to '1 Mar'. */
  const dayOfYear = (day: string): string =>
    isEnglish ? `${Number(day.slice(8, 10))} ${monthName(day)}` : short(day.slice(0, 10));
  /** Converts '2026-03-01' to '1 Mar 2026'. */
  const readableDay = (day: string): string =>
    isEnglish ? `${dayOfYear(day)} ${day.slice(0, 4)}` : isDay(day.slice(0, 10)) ? medium(day.slice(0, 10)) : day;
  return {
    dayOfYear,
    readableDay,
    /** Converts '2026-03' to 'Mar 2026'. */
    readableMonth: (text: string): string =>
      isEnglish ? `${monthName(text)} ${text.slice(0, 4)}` : month(`${text.slice(0, 7)}-01`),
    /** Leaves days and times of lists and paper as the API writes them, unless the language has other marks. */
    listedDay: (text: string): string => (isEnglish ? text : readableDay(text) + text.slice(10)),
  };
}

export const { dayOfYear, readableDay, readableMonth, listedDay } = daysIn(LOCALE);

/** Converts '2026-03-01T09:30:00.5Z' to '1 Mar 2026, 09:30:00.5 UTC'. Another offset than Z follows UTC. */
export function readableInstant(instant: string): string {
  const [, day = '', time, offset = ''] = INSTANT.exec(instant) ?? [];
  return `${readableDay(day)}, ${time} UTC${offset.toUpperCase() === 'Z' ? '' : offset}`;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})T([\d:.]+)(Z|[+-]\d{2}:\d{2})$/i;

/** Matches a typed time: a day, hours and minutes, perhaps seconds, and perhaps an offset from UTC. */
const TYPED_INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:T|\s+)((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?\s*(?:(Z|UTC)|([+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i;

/** Converts a typed time to RFC 3339. Without an offset, the time is in UTC. Returns undefined if it is invalid. */
export function typedInstant(text: string): string | undefined {
  const [, day = '', minute, second = ':00', , offset = 'Z'] = TYPED_INSTANT.exec(text.trim()) ?? [];
  return isDay(day) ? `${day}T${minute}${second}${offset}` : undefined;
}

export const earlier = (one: string, other: string): string => (one < other ? one : other);

/** Splits a range of days into `count` ranges of about equal length. */
export function partsOf(start: string, end: string, count: number): [start: string, end: string][] {
  const first = asInstant(start).getTime() / 86_400_000;
  const days = asInstant(end).getTime() / 86_400_000 - first + 1;
  const parts = Math.max(1, Math.min(count, days));
  const dayAt = (n: number) => dayOf(new Date((first + Math.floor((n * days) / parts)) * 86_400_000));
  return Array.from({ length: parts }, (_, i) => [dayAt(i), i === parts - 1 ? end : dayBefore(dayAt(i + 1))]);
}

export const addDays = (day: string, count: number): string =>
  dayOf(new Date(asInstant(day).getTime() + count * 86_400_000));

export const dayBefore = (day: string): string => addDays(day, -1);

/** Counts the days from the first to the last, including both. */
export const countDays = (first: string, last: string): number =>
  Math.max(0, (asInstant(last).getTime() - asInstant(first).getTime()) / 86_400_000 + 1);

export const later = (one: string, other: string): string => (one > other ? one : other);

export function monthsBetween(start: string, end: string): string[] {
  const months: string[] = [];
  let [year, month] = [Number(start.slice(0, 4)), Number(start.slice(5, 7))];
  for (;;) {
    const text = `${year}-${String(month).padStart(2, '0')}`;
    if (text > end.slice(0, 7)) return months;
    months.push(text);
    if (++month > 12) [year, month] = [year + 1, 1];
  }
}
