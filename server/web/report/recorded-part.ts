/** The part of the days of a report that is recorded: no figure speaks of the others. */
import type { Report } from '../state/report.js';
import { readableDay } from '../values/dates.js';

/** Whether none of the days is recorded. */
export const isOutside = ({ summary: { start, end, coverage } }: Report): boolean =>
  end < coverage.index_start || coverage.index_end < start;

/** The days of a report, with the part of them that is recorded where it is not all of them. */
export function daysOf(shown: Report): string {
  const { start, end, coverage } = shown.summary;
  const days = `${readableDay(start)} to ${readableDay(end)}, UTC`;
  if (isOutside(shown)) return `${days}, not recorded`;
  const first = start < coverage.index_start ? ` from ${readableDay(coverage.index_start)}` : '';
  const last = coverage.index_end < end ? ` up to ${readableDay(coverage.index_end)}` : '';
  return days + (first + last && `, recorded${first}${last}`);
}
