import { amountOf, codedAccount, decimal, describe, type Table, text } from './tables.js';

/**
 * Formats 2026-01-05 as 05 Jan 2026. Xero reads only this format alike in every region (help.xero.com,
 * ManualJournalsImport).
 */
const shownDay = (day: string) => new Date(day).toUTCString().slice('Mon, '.length, 'Mon, 05 Jan 2026'.length);

/**
 * Xero, manual journal import. Lines with the same narration and date form a journal, which must balance. Credits are
 * negative.
 */
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
