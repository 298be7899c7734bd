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
