import tzdata from 'tzdata/tzdata.js';
import { zoneNamed } from './zones.js';

/**
 * Returns true for a zone or link of the IANA database, in its letters, if the runtime has its rules. The package lists
 * all names: the runtime lists only some, and accepts them in any letters. Offsets are no names.
 */
export function isZone(name: string): boolean {
  if (!Object.hasOwn(tzdata.zones, name)) return false;
  try {
    return zoneNamed(name) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the names of all zones and links that the runtime has, sorted. Does not keep their calendars in memory. */
export const zoneNames = (): readonly string[] => Object.keys(tzdata.zones).filter(isInRuntime).sort();

function isInRuntime(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the names of a country's zones by the runtime's data. @param code ISO 3166 */
export function zonesOf(code: string): readonly string[] {
  // Newer runtimes have a method in place of the property; the types have neither.
  const region = new Intl.Locale('und', { region: code }) as { getTimeZones?(): string[]; timeZones?: string[] };
  return region.getTimeZones?.() ?? region.timeZones ?? [];
}
