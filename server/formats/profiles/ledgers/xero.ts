import { amountOf, codedAccount, decimal, describe, type Table, text } from './tables.js';

/** Xero, import of manual journals: lines with one narration and date are one journal, which must balance; a credit is negative. */
export const xero = {
  description:
    'Xero manual journals: two lines an entry, days as YYYY-MM-DD, account codes; entries of 0.00 are left out.',
  columns: [
    text('Narration', ({ entry }) => entry.entry_id),
    text('Date', ({ entry }) => entry.time.slice(0, 10)),
    text('AccountCode', ({ account, mapped }) => codedAccount(account, mapped)),
    text('TaxRate', () => 'NONE'),
    text('Description', ({ entry }) => describe(entry)),
    decimal('Amount', (side) => (side.isDebit ? amountOf(side) : `-${amountOf(side)}`)),
  ],
} satisfies Table;
