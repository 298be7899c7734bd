import { createHash } from 'node:crypto';
import { amountOf, decimal, describe, type Side, type Table, text } from './tables.js';

/** Characters that QuickBooks takes of a journal number (its error 2050); ids of entries may have more. */
const NUMBER_MAX = 21;

/** Characters that QuickBooks takes of the name of an account; a token's denom, which stands in it, may have as many alone. */
const NAME_MAX = 100;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** The number of an entry, the same in every file: its id, or its block and as much of a longer id's hash as there is room for. */
function numberOf({ entry: { height, entry_id } }: Side): string {
  if (entry_id.length <= NUMBER_MAX) return entry_id;
  return `${height}-${hashOf(entry_id)}`.slice(0, NUMBER_MAX);
}

/** A sub-account follows its parent without a blank. A name that is too long ends with a part of its hash, the same in every file. */
function nameOf(account: string): string {
  const name = account.replaceAll(': ', ':').replaceAll('"', '');
  if (name.length <= NAME_MAX) return name;
  const end = `-${hashOf(name).slice(0, 12)}`;
  return name.slice(0, NAME_MAX - end.length) + end;
}

/** QuickBooks Online, import of journal entries: lines with one number are one entry, which must balance. */
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
