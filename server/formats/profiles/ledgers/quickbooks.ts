import { amountOf, decimal, describe, type Table, text } from './tables.js';

/** A sub-account follows its parent without a blank. */
const nameOf = (account: string) => account.replaceAll(': ', ':').replaceAll('"', '');

/** QuickBooks Online, import of journal entries: lines with one number are one entry, which must balance. */
export const quickbooks = {
  description:
    'QuickBooks Online journal entries: two lines an entry, MM/DD/YYYY; accounts as Parent:Sub; entries of 0.00 are left out.',
  columns: [
    text('Journal No', ({ entry }) => entry.entry_id),
    text('Journal Date', ({ entry }) => entry.time.slice(0, 10).replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1')),
    text('Account Name', ({ account, mapped }) => mapped.get(account) ?? nameOf(account)),
    text('Description', ({ entry }) => describe(entry)),
    decimal('Debits', (side) => (side.isDebit ? amountOf(side) : '')),
    decimal('Credits', (side) => (side.isDebit ? '' : amountOf(side))),
    text('Name', () => ''),
  ],
} satisfies Table;
