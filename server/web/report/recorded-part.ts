import type { Report } from '../state/report.js';
import { readableDay } from '../values/dates.js';

/** Returns whether no day is recorded. */
export const isOutside = ({ summary: { start, end, coverage } }: Report): boolean =>
  end < coverage.index_start || coverage.index_end < start;

/** Formats the days; names the recorded part if it is shorter. */
export function daysOf(shown: Report): string {
  const { start, end, coverage } = shown.summary;
  const days = `${readableDay(start)} to ${readableDay(end)}, UTC`;
  if (isOutside(shown)) return `${days}, not recorded`;
  const first = start < coverage.index_start ? ` from ${readableDay(coverage.index_start)}` : '';
  const last = coverage.index_end < end ? ` up to ${readableDay(coverage.index_end)}` : '';
  return days + (first + last && `, recorded${first}${last}`);
}
