import { isDay } from '../../../pipeline/base/values/day.js';
import type { TimeRange } from '../../../pipeline/books/reports/coverage.js';

export const ALL_TIME: TimeRange = { start: null, end: null, from: '0000-01-01 00:00:00', to: '9999-12-31 23:59:59' };

export const upTo = (to: string): TimeRange => ({ ...ALL_TIME, to });

export const throughDay = (day: string): TimeRange => ({ ...upTo(`${day} 23:59:59`), end: day });

export const isInRange = (time: string, range: TimeRange) => time >= range.from && time <= range.to;

/**
 * Returns the first and last day of the period. A missing bound is replaced by the first or last day of the index. If
 * the given bound is outside the index, it also replaces the missing bound.
 */
export function daysOf(range: TimeRange, index: { indexStart: string; indexEnd: string }): [string, string] {
  const [first, last] = [range.from.slice(0, 10), range.to.slice(0, 10)];
  const earliest = last < index.indexStart ? last : index.indexStart;
  const latest = first > index.indexEnd ? first : index.indexEnd;
  return [range.start === null ? earliest : first, range.end === null ? latest : last];
}

export function rangeOfDays(start: string, end: string): TimeRange {
  return { start, end, from: `${start} 00:00:00`, to: `${end} 23:59:59` };
}

const INSTANT = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const endsMonth = (second: number) => new Date(second + 1000).toISOString().slice(8, 19) === '01T00:00:00';

/**
 * Returns the first or last second of a day or RFC 3339 time. Block times have whole seconds, so a start with a
 * fraction moves to the next second. A leap second counts as the second before it.
 * @returns YYYY-MM-DD HH:MM:SS; undefined if invalid
 */
export function boundOf(text: string, edge: 'start' | 'end'): string | undefined {
  if (isDay(text)) return edge === 'start' ? `${text} 00:00:00` : `${text} 23:59:59`;
  const fraction = INSTANT.exec(text);
  if (!fraction || !isDay(text.slice(0, 10))) return undefined;
  const later = edge === 'start' && /[1-9]/.test(fraction[3] ?? '') ? 1000 : 0;
  const second = Date.parse(text.replace(/\.\d+/, '').replace(':60', ':59').toUpperCase());
  if (fraction[2] === '60' && !endsMonth(second)) return undefined;
  const instant = new Date(second + later).toISOString();
  return instant.length === 24 ? instant.slice(0, 19).replace('T', ' ') : undefined;
}
