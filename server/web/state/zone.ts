/** The time zone that pages propose until the user states one, and the names of all zones. */
import { signal } from '@preact/signals';
import { type Zone, zoneNamed } from '../../../pipeline/base/values/zones.js';
import { get } from '../api/client.js';
import { PATHS } from '../api/paths.js';

export const UTC = 'UTC';

/** Matches other names of UTC, which some systems set. */
const OTHER_NAMES = /^(?:Etc\/)?(?:GMT|UCT|UTC|Greenwich|Universal|Zulu)$/;

/** Name of the proposed zone: the operator's choice, else the browser's zone. UTC if the API rejected it. */
export const proposedZone = signal(proposal());

function proposal(): string {
  const stated = document.querySelector<HTMLElement>('[data-timezone]')?.dataset.timezone;
  const name = stated || Intl.DateTimeFormat().resolvedOptions().timeZone || UTC;
  return OTHER_NAMES.test(name) ? UTC : name;
}

/** Returns the days of a zone by the browser's database; those of UTC if the browser does not have the zone. */
export function daysOfZone(name: string): Zone {
  try {
    return zoneNamed(name);
  } catch {
    return zoneNamed(UTC);
  }
}

/** Names of all zones; empty until the list is loaded. */
export const zoneNames = signal<readonly string[]>([]);

export async function loadZoneNames(): Promise<void> {
  if (zoneNames.peek().length > 0) return;
  try {
    zoneNames.value = await get<readonly string[]>(PATHS.zones);
  } catch {
    zoneNames.value = [UTC, ...Intl.supportedValuesOf('timeZone')];
  }
}
