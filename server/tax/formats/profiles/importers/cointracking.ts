import type { ImportCoin } from '../../../../../pipeline/books/reports/import/import-rows.js';
import {
  amount,
  blank,
  constant,
  currency,
  describeWithHash,
  type Importer,
  isoTime,
  rowId,
  text,
  word,
  wordsOf,
} from './importer.js';

/** In CoinTracking, the coin of the Cosmos Hub is ATOM2. ATOM is an older coin there. */
const symbolOf = ({ symbol }: ImportCoin) => (symbol === 'ATOM' ? 'ATOM2' : symbol);

/**
 * Format of CoinTracking, CSV import (cointracking.freshdesk.com article 29000042783). A fee is a separate row, `Other
 * Fee`, because fees in fee columns must be included in the sold amount. Deposits and withdrawals are never sales
 * (article 29000007206).
 */
export const cointracking = {
  description:
    'CoinTracking: times in UTC; ATOM is ATOM2; fees are separate rows Other Fee; ignored rows are left out.',
  howTo: 'In CoinTracking, open the CSV import and upload this file.',
  countsUnmatchedSendsAsSold: false,
  words: wordsOf({
    income: 'Income',
    reward: 'Staking',
    airdrop: 'Airdrop',
    payment: ['Income', 'Spend'],
    purchase: 'Deposit',
    sale: 'Spend',
    gift: ['Gift / Tip', 'Gift'],
    donation: 'Donation',
    lost: 'Lost',
    expense: 'Other Fee',
    ignore: null,
    transfer: ['Deposit', 'Withdrawal'],
    trade: 'Trade',
    exchange: 'Swap (non taxable)',
  }),
  columns: [
    word('Type'),
    amount('Buy Amount', 'received'),
    currency('Buy Currency', 'received', symbolOf),
    amount('Sell Amount', 'sent'),
    currency('Sell Currency', 'sent', symbolOf),
    blank('Fee'),
    blank('Fee Currency'),
    constant('Exchange', 'Cosmos Hub'),
    text('Trade-Group', ({ row }) => row.event.address),
    text('Comment', describeWithHash),
    isoTime('Date'),
    rowId('Tx-ID'),
    // The column stays empty, because the currency of the user's CoinTracking account is unknown.
    blank('Buy Value in Account Currency'),
    blank('Sell Value in Account Currency'),
    blank('Liquidity pool'),
  ],
} satisfies Importer;
