import type { AskedRange } from '../../../pipeline/books/reports/coverage.js';

/** Inclusive bounds of a period. `start` and `end` are the texts in the request. */
export type TimeRange = AskedRange;

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
