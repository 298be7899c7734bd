import { isDay } from '../../../pipeline/base/values/day.js';
import { firstSecond, lastSecond, UTC, type Zone, zoneNamed } from '../../../pipeline/base/values/zones.js';
import type { TimeRange } from '../../../pipeline/books/reports/coverage.js';

export const ALL_TIME: TimeRange = { start: null, end: null, from: '0000-01-01 00:00:00', to: '9999-12-31 23:59:59' };

export const upTo = (to: string): TimeRange => ({ ...ALL_TIME, to });

export const throughDay = (day: string, zone = UTC): TimeRange => ({ ...upTo(lastSecond(zone, day)), end: day });

export const isInRange = (time: string, range: TimeRange) => time >= range.from && time <= range.to;

interface Index {
  readonly indexStart: string;
  readonly indexEnd: string;
  /** RFC 3339 time of the last block. */
  readonly time: string;
}

/** Returns the first and last day of the index in a zone. */
export function indexDays({ indexStart, indexEnd, time }: Index, zone: Zone): { first: string; last: string } {
  if (zone === UTC) return { first: indexStart, last: indexEnd };
  return {
    first: zone.dayOf(firstSecond(UTC, indexStart)),
    last: zone.dayOf(`${time.slice(0, 10)} ${time.slice(11, 19)}`),
  };
}

/**
 * Returns the first and last day of the period, in the zone of the request. A missing bound is replaced by the first or
 * last day of the index. If the given bound is outside the index, it also replaces the missing bound.
 */
export function daysOf(
  { range, timezone }: { readonly range: TimeRange; readonly timezone?: string | undefined },
  dataset: Index,
): [string, string] {
  const zone = zoneNamed(timezone);
  const index = indexDays(dataset, zone);
  const first = range.start === null ? undefined : zone.dayOf(range.from);
  const last = range.end === null ? undefined : zone.dayOf(range.to);
  const earliest = last !== undefined && last < index.first ? last : index.first;
  const latest = first !== undefined && first > index.last ? first : index.last;
  return [first ?? earliest, last ?? latest];
}

export function rangeOfDays(start: string, end: string, zone = UTC): TimeRange {
  return { start, end, from: firstSecond(zone, start), to: lastSecond(zone, end) };
}

const INSTANT = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const endsMonth = (second: number) => new Date(second + 1000).toISOString().slice(8, 19) === '01T00:00:00';

/**
 * Returns the first or last second of a day in a zone, or of an RFC 3339 time. Block times have whole seconds, so a start with a
 * fraction moves to the next second. A leap second counts as the second before it.
 * @returns YYYY-MM-DD HH:MM:SS; undefined if invalid
 */
export function boundOf(text: string, edge: 'start' | 'end', zone = UTC): string | undefined {
  if (isDay(text)) return edge === 'start' ? firstSecond(zone, text) : lastSecond(zone, text);
  const fraction = INSTANT.exec(text);
  if (!fraction || !isDay(text.slice(0, 10))) return undefined;
  const later = edge === 'start' && /[1-9]/.test(fraction[3] ?? '') ? 1000 : 0;
  const second = Date.parse(text.replace(/\.\d+/, '').replace(':60', ':59').toUpperCase());
  if (fraction[2] === '60' && !endsMonth(second)) return undefined;
  const instant = new Date(second + later).toISOString();
  return instant.length === 24 ? instant.slice(0, 19).replace('T', ' ') : undefined;
}
