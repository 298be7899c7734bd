/**
 * The wallets and days that the page shows. They stand in the fragment of the URL, which browsers keep to themselves: a reload or a
 * bookmark finds them again, and no server, proxy or log is told an address by it.
 */
import { effect, signal } from '@preact/signals';
import { type Fault, readAddresses } from '../values/addresses.js';
import { isDay } from '../values/dates.js';
import { dataset, yearsOf } from './dataset.js';

/** First and last day, inclusive. */
export interface Days {
  readonly start: string;
  readonly end: string;
}

export interface Asked extends Days {
  readonly addresses: readonly string[];
}

/** The addresses of a URL as they stand there, one of which cannot be read. */
export interface Misread extends Days {
  readonly text: string;
  readonly faults: readonly Fault[];
}

export const yearOf = (year: string) => ({ start: `${year}-01-01`, end: `${year}-12-31` });

/** Undefined on the landing page. */
export const asked = signal<Asked | undefined>(undefined);
/** Told on the landing page: sums without the wallet of a mistyped address would look like those of all. */
export const misread = signal<Misread | undefined>(undefined);

/** '#addresses=a,b&year=2026', or with start and end instead of the year; without days it waits for the dataset, and names its last year. */
function readFragment(): void {
  const fields = new URLSearchParams(location.hash.slice(1));
  const text = fields.get('addresses') ?? '';
  const { addresses, faults } = readAddresses(text);
  const days = text === '' ? undefined : daysOf(fields);
  if (!days) {
    asked.value = misread.value = undefined;
    return;
  }
  misread.value = faults.length > 0 ? { text, faults, ...days } : undefined;
  asked.value = faults.length === 0 && addresses.length > 0 ? { addresses, ...days } : undefined;
}

function daysOf(fields: URLSearchParams): Days | undefined {
  const [start, end] = [fields.get('start') ?? '', fields.get('end') ?? ''];
  if (isDay(start) && isDay(end) && start <= end) return { start, end };
  const year = /^\d{4}$/.exec(fields.get('year') ?? '')?.[0] ?? (dataset.value && yearsOf(dataset.value)[0]);
  return year === undefined ? undefined : yearOf(year);
}

effect(readFragment);

/** The calendar year that two days span; undefined for another range. */
export const wholeYear = ({ start, end }: Days): string | undefined => {
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

addEventListener('popstate', readFragment);
