import { createHash } from 'node:crypto';
import { amountOf, decimal, describe, type Side, type Table, text } from './tables.js';

/** Longest journal number that QuickBooks accepts (its error 2050); entry ids may be longer. */
const NUMBER_MAX = 21;

/** Longest account name that QuickBooks accepts; a denom in it may use all of them. */
const NAME_MAX = 100;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns a stable entry number: its id if short enough, otherwise its block and part of the id's hash. */
function numberOf({ entry: { height, entry_id } }: Side): string {
  if (entry_id.length <= NUMBER_MAX) return entry_id;
  return `${height}-${hashOf(entry_id)}`.slice(0, NUMBER_MAX);
}

/** Formats an account name: sub-accounts follow without a blank; a long name ends with part of its hash. */
function nameOf(account: string): string {
  const name = account.replaceAll(': ', ':').replaceAll('"', '');
  if (name.length <= NAME_MAX) return name;
  const end = `-${hashOf(name).slice(0, 12)}`;
  return name.slice(0, NAME_MAX - end.length) + end;
}

/** QuickBooks Online, journal entry import: lines with the same number form one entry, which must balance. */
export const quickbooks = {
  description:
    'QuickBooks Online journal entries: two lines an entry in US dollars, MM/DD/YYYY; accounts as Parent:Sub; ' +
    'entries of 0.00 are left out.',
  columns: [
    text('Journal No', numberOf),
    text('Journal Date', ({ entry }) => entry.time.slice(0, 10).replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1')),
    text('Account Name', ({ account, mapped }) => mapped.get(account) ?? nameOf(account)),
    text('Description', ({ entry }) => `${describe(entry)}; ${entry.entry_id}`),
    decimal('Debits', (side) => (side.isDebit ? amountOf(side) : '')),
    decimal('Credits', (side) => (side.isDebit ? '' : amountOf(side))),
    text('Name', () => ''),
  ],
} satisfies Table;
