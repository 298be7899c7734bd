import { amountOf, codedAccount, decimal, describe, type Table, text } from './tables.js';

/** 2026-01-05 → 05 Jan 2026: of the forms that Xero takes (help.xero.com, ManualJournalsImport) the one that reads the same everywhere. */
const shownDay = (day: string) => new Date(day).toUTCString().slice('Mon, '.length, 'Mon, 05 Jan 2026'.length);

/** Xero, import of manual journals: lines with one narration and date are one journal, which must balance; a credit is negative. */
export const xero = {
  description:
    'Xero manual journals: two lines an entry in US dollars, days as 05 Jan 2026, account codes; entries of 0.00 are left out.',
  columns: [
    text('Narration', ({ entry }) => entry.entry_id),
    text('Date', ({ entry }) => shownDay(entry.time.slice(0, 10))),
    text('AccountCode', ({ account, mapped }) => codedAccount(account, mapped)),
    text('TaxRate', () => 'NONE'),
    text('Description', ({ entry }) => describe(entry)),
    decimal('Amount', (side) => (side.isDebit ? amountOf(side) : `-${amountOf(side)}`)),
  ],
} satisfies Table;
