/**
 * The wallets and days that the page shows. They stand in the fragment of the URL, which browsers keep to themselves: a reload or a
 * bookmark finds them again, and no server, proxy or log is told an address by it.
 */
import { signal } from '@preact/signals';
import { readAddresses } from '../values/addresses.js';
import { isDay } from '../values/dates.js';

export interface Asked {
  readonly addresses: readonly string[];
  /** First and last day, inclusive. */
  readonly start: string;
  readonly end: string;
}

export const yearOf = (year: string) => ({ start: `${year}-01-01`, end: `${year}-12-31` });

/** Undefined on the landing page. */
export const asked = signal<Asked | undefined>(fromFragment());

/** '#addresses=a,b&year=2026', or with start and end instead of the year. */
function fromFragment(): Asked | undefined {
  const fields = new URLSearchParams(location.hash.slice(1));
  const { addresses } = readAddresses(fields.get('addresses') ?? '');
  if (addresses.length === 0) return undefined;
  const year = /^\d{4}$/.exec(fields.get('year') ?? '')?.[0] ?? String(new Date().getUTCFullYear());
  const [start, end] = [fields.get('start') ?? '', fields.get('end') ?? ''];
  if (isDay(start) && isDay(end) && start <= end) return { addresses, start, end };
  return { addresses, ...yearOf(year) };
}

/** The calendar year that two days span; undefined for another range. */
export const wholeYear = ({ start, end }: { start: string; end: string }): string | undefined => {
  const year = start.slice(0, 4);
  return start === `${year}-01-01` && end === `${year}-12-31` ? year : undefined;
};

function fragmentOf(wanted: Asked): string {
  const year = wholeYear(wanted);
  const days = year === undefined ? `start=${wanted.start}&end=${wanted.end}` : `year=${year}`;
  return `#addresses=${wanted.addresses.join(',')}&${days}`;
}

/** Shows wallets and days, the same ones anew; the browser's back button leads back to others. */
export function ask(wanted: Asked): void {
  const fragment = fragmentOf(wanted);
  if (fragment !== location.hash) history.pushState(null, '', fragment);
  asked.value = { ...wanted };
}

addEventListener('popstate', () => {
  asked.value = fromFragment();
});
