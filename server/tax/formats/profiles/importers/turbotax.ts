import { USUAL } from '../../../../../pipeline/books/terms.js';
import {
  amount,
  atMostDecimals,
  blank,
  currency,
  description,
  type Importer,
  isoTime,
  rowId,
  text,
  txHash,
  value,
  word,
  wordsOf,
} from './importer.js';

/**
 * Format of TurboTax, universal CSV (ttlc.intuit.com L1yhp71Nt): no negative amounts, at most eight decimals, a date
 * and a type in every row.
 */
export const turbotax = {
  description: 'TurboTax, universal CSV: times in UTC; at most eight decimals; fees are separate expenses.',
  howTo:
    'In TurboTax Online, add digital assets, choose to upload a file from a source that is not listed, and upload this file. It has the headings of the universal template.',
  countsUnmatchedSendsAsSold: false,
  words: wordsOf({
    income: 'Income',
    reward: 'Staking',
    airdrop: 'Airdrop',
    payment: ['Income', 'Expense'],
    purchase: 'Buy',
    sale: 'Sale',
    own_transfer: 'Transfer',
    gift: 'Other',
    donation: 'Other',
    lost: 'Other',
    expense: 'Expense',
    loan: 'Other',
    ignore: 'Other',
    transfer: ['Deposit', 'Withdrawal'],
    trade: 'Convert',
  }),
  columns: [
    isoTime('Date'),
    word('Type'),
    currency('Sent Asset', 'sent'),
    amount('Sent Amount', 'sent'),
    currency('Received Asset', 'received'),
    amount('Received Amount', 'received'),
    blank('Fee Asset'),
    blank('Fee Amount'),
    text('Market Value Currency', ({ value }) => (value === '' ? '' : USUAL.currency.code)),
    value('Market Value'),
    description('Description'),
    txHash('Transaction Hash'),
    rowId('Transaction ID'),
  ],
  adapt: atMostDecimals(8),
} satisfies Importer;
