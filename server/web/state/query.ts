/**
 * The report's wallets and days. They are in the URL's fragment, because browsers do not send the fragment to servers.
 */
import { effect, signal } from '@preact/signals';
import { type Fault, readAddresses } from '../values/addresses.js';
import { isDay } from '../values/dates.js';
import { country } from './country.js';
import { dataset, daysOfYear, usualYear, yearAt } from './dataset.js';
import { type Days, leaveStatements, ownersStatements, type ReportQuery, showStatements } from './statements.js';
import { type LinkFault, unpackedStatements } from './statements-file.js';

export type { ReportQuery } from './statements.js';

/** The days and addresses in the URL, if at least one address is invalid. */
export interface InvalidInput extends Days {
  readonly text: string;
  readonly faults: readonly Fault[];
}

export const currentQuery = signal<ReportQuery | undefined>(undefined);
/**
 * Defined if an address is invalid. The landing page then shows the input again. A report without the invalid address
 * would show an incomplete sum as the total.
 */
export const invalidInput = signal<InvalidInput | undefined>(undefined);

/**
 * Reads '#addresses=a,b&year=2026'. The fragment may contain `start` and `end` instead of `year`. Without any of them,
 * the report shows the usual year.
 */
function readFragment(): void {
  const fields = new URLSearchParams(location.hash.slice(1));
  const packedPart = fields.get('answers') ?? '';
  if (packedPart !== ownersStatements.peek() && packedPart !== unreadable) {
    void openStatements(packedPart);
    return;
  }
  const text = fields.get('addresses') ?? '';
  const { addresses, faults } = readAddresses(text);
  const days = text === '' ? undefined : daysOf(fields);
  if (!days) {
    currentQuery.value = invalidInput.value = undefined;
    return;
  }
  invalidInput.value = faults.length > 0 ? { text, faults, ...days } : undefined;
  currentQuery.value = faults.length === 0 && addresses.length > 0 ? { addresses, ...days } : undefined;
}

/** The packed answers in the link if they cannot be used, otherwise ''. */
let unreadable = '';
export const linkFault = signal<LinkFault | undefined>(undefined);

/**
 * Unpacks the answers in the link and shows the report with them. Without answers in the link, uses the user's own
 * answers.
 */
async function openStatements(packed: string): Promise<void> {
  const read = packed === '' ? undefined : await unpackedStatements(packed);
  const fault = typeof read === 'string' ? read : undefined;
  if (typeof read === 'object') showStatements(packed, read);
  else leaveStatements();
  unreadable = fault ? packed : '';
  linkFault.value = fault;
  readFragment();
}

function daysOf(fields: URLSearchParams): Days | undefined {
  const [start, end] = [fields.get('start') ?? '', fields.get('end') ?? ''];
  if (isDay(start) && isDay(end) && start <= end) return { start, end };
  const year = /^\d{4}$/.exec(fields.get('year') ?? '')?.[0] ?? (dataset.value && usualYear(dataset.value));
  return year === undefined ? undefined : daysOfYear(year);
}

effect(readFragment);

/** Returns the year whose days these are. @param first first day of a year, MM-DD */
export const wholeYear = ({ start, end }: Days, first?: string): string | undefined => {
  const year = start.slice(0, 4);
  const days = daysOfYear(year, first);
  return start === days.start && end === days.end ? year : undefined;
};

// A country's page shows whole tax years: it replaces other days by the year in which they begin.
effect(() => {
  const [query, rules] = [currentQuery.value, country.value];
  if (!query || !rules || wholeYear(query, rules.year_start) !== undefined) return;
  const whole = { ...query, ...daysOfYear(String(yearAt(query.start, rules.year_start)), rules.year_start) };
  history.replaceState(null, '', fragmentOf(whole));
  currentQuery.value = whole;
});

function fragmentOf(query: ReportQuery): string {
  const year = wholeYear(query);
  const days = year === undefined ? `start=${query.start}&end=${query.end}` : `year=${year}`;
  const statementsPart = ownersStatements.peek() === '' ? '' : `&answers=${ownersStatements.peek()}`;
  return `#addresses=${query.addresses.join(',')}&${days}${statementsPart}`;
}

/** Returns a link to the report that contains the answers about its wallets. */
export const linkWith = (query: ReportQuery, packed: string): string => {
  const plain = fragmentOf(query).replace(/&answers=.*$/, '');
  return `${location.origin}/${plain}&answers=${packed}`;
};

/** Shows the report with the user's own answers. */
export function leaveOwnersStatements(query: ReportQuery): void {
  leaveStatements();
  ask(query);
}

/** Adds wallets and days to the browser's history and shows their report. If it is already shown, reloads it. */
export function ask(query: ReportQuery): void {
  const fragment = fragmentOf(query);
  if (fragment !== location.hash) history.pushState(null, '', fragment);
  currentQuery.value = { ...query };
}

addEventListener('popstate', readFragment);
