import { createHash } from 'node:crypto';
import { amountOf, decimal, describe, type Side, type Table, text } from './tables.js';

/** QuickBooks rejects longer journal numbers (error 2050). Entry ids may be longer. */
const NUMBER_MAX = 21;

/** QuickBooks rejects longer account names. A denom alone may be that long. */
const NAME_MAX = 100;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns the same number in each export: the entry id, or its block and part of its hash. */
function numberOf({ entry: { height, entry_id } }: Side): string {
  if (entry_id.length <= NUMBER_MAX) return entry_id;
  return `${height}-${hashOf(entry_id)}`.slice(0, NUMBER_MAX);
}

/** Sub-accounts follow a colon without a blank. A long name ends with part of its hash. */
function nameOf(account: string): string {
  const name = account.replaceAll(': ', ':').replaceAll('"', '');
  if (name.length <= NAME_MAX) return name;
  const end = `-${hashOf(name).slice(0, 12)}`;
  return name.slice(0, NAME_MAX - end.length) + end;
}

/** QuickBooks Online, journal entry import. Lines with the same number form an entry, which must balance. */
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
