import tzdata from 'tzdata/tzdata.js';

/** Names of all zones and links. The runtime accepts them in any letters, and lists only some. */
const { zones } = tzdata;

/** Version of the runtime's database, whose rules decide. */
export const ZONE_DATABASE = process.versions.tz!;

/** Returns true for a name in the letters of the database, if the runtime has its rules. Offsets are no names. */
export function isZone(name: string): boolean {
  if (!Object.hasOwn(zones, name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
