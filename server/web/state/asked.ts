/**
 * The report's wallets and days. They are in the URL's fragment, because browsers do not send the fragment to servers.
 */
import { effect, signal } from '@preact/signals';
import { type Fault, readAddresses } from '../values/addresses.js';
import { isDay } from '../values/dates.js';
import { type LinkFault, unpackedAnswers } from './answers.js';
import { dataset, usualYear } from './dataset.js';
import { type Asked, type Days, leaveAnswers, ownersAnswers, showAnswers } from './statements.js';

export type { Asked } from './statements.js';

/** The days and addresses in the URL, if at least one address is invalid. */
export interface InvalidInput extends Days {
  readonly text: string;
  readonly faults: readonly Fault[];
}

export const yearOf = (year: string) => ({ start: `${year}-01-01`, end: `${year}-12-31` });

export const asked = signal<Asked | undefined>(undefined);
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
  const answers = fields.get('answers') ?? '';
  if (answers !== ownersAnswers.peek() && answers !== unreadable) {
    void openAnswers(answers);
    return;
  }
  const text = fields.get('addresses') ?? '';
  const { addresses, faults } = readAddresses(text);
  const days = text === '' ? undefined : daysOf(fields);
  if (!days) {
    asked.value = invalidInput.value = undefined;
    return;
  }
  invalidInput.value = faults.length > 0 ? { text, faults, ...days } : undefined;
  asked.value = faults.length === 0 && addresses.length > 0 ? { addresses, ...days } : undefined;
}

/** The packed answers in the link if they cannot be used, otherwise ''. */
let unreadable = '';
export const answersFault = signal<LinkFault | undefined>(undefined);

/**
 * Unpacks the answers in the link and shows the report with them. Without answers in the link, uses the user's own
 * answers.
 */
async function openAnswers(packed: string): Promise<void> {
  const read = packed === '' ? undefined : await unpackedAnswers(packed);
  const fault = typeof read === 'string' ? read : undefined;
  if (typeof read === 'object') showAnswers(packed, read);
  else leaveAnswers();
  unreadable = fault ? packed : '';
  answersFault.value = fault;
  readFragment();
}

function daysOf(fields: URLSearchParams): Days | undefined {
  const [start, end] = [fields.get('start') ?? '', fields.get('end') ?? ''];
  if (isDay(start) && isDay(end) && start <= end) return { start, end };
  const year = /^\d{4}$/.exec(fields.get('year') ?? '')?.[0] ?? (dataset.value && usualYear(dataset.value));
  return year === undefined ? undefined : yearOf(year);
}

effect(readFragment);

export const wholeYear = ({ start, end }: Days): string | undefined => {
  const year = start.slice(0, 4);
  return start === `${year}-01-01` && end === `${year}-12-31` ? year : undefined;
};

function fragmentOf(wanted: Asked): string {
  const year = wholeYear(wanted);
  const days = year === undefined ? `start=${wanted.start}&end=${wanted.end}` : `year=${year}`;
  const answers = ownersAnswers.peek() === '' ? '' : `&answers=${ownersAnswers.peek()}`;
  return `#addresses=${wanted.addresses.join(',')}&${days}${answers}`;
}

/** Returns a link to the report that contains the answers about its wallets. */
export const linkWith = (wanted: Asked, packed: string): string => {
  const plain = fragmentOf(wanted).replace(/&answers=.*$/, '');
  return `${location.origin}/${plain}&answers=${packed}`;
};

/** Shows the report with the user's own answers. */
export function useOwnAnswers(wanted: Asked): void {
  leaveAnswers();
  ask(wanted);
}

/** Adds wallets and days to the browser's history and shows their report. If it is already shown, reloads it. */
export function ask(wanted: Asked): void {
  const fragment = fragmentOf(wanted);
  if (fragment !== location.hash) history.pushState(null, '', fragment);
  asked.value = { ...wanted };
}

addEventListener('popstate', readFragment);
