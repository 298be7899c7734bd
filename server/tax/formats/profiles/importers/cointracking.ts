import type { ImportCoin } from '../../../../../pipeline/reports/import/import-rows.js';
import {
  amount,
  blank,
  constant,
  currency,
  description,
  type Importer,
  isoTime,
  rowId,
  text,
  word,
  wordsOf,
} from './importer.js';

/** CoinTracking calls the Cosmos Hub's coin ATOM2; its ATOM is an older coin. */
const symbolOf = ({ symbol }: ImportCoin) => (symbol === 'ATOM' ? 'ATOM2' : symbol);

/**
 * CoinTracking, CSV import (cointracking.freshdesk.com article 29000042783). A fee is a separate row, `Other Fee`,
 * because fee columns would have to be part of the amount sold.
 */
export const cointracking = {
  description:
    'CoinTracking: times in UTC; ATOM is ATOM2; fees are separate rows Other Fee; ignored rows are left out.',
  howTo: 'In CoinTracking, open the CSV import and upload this file.',
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
    description('Comment'),
    isoTime('Date'),
    rowId('Tx-ID'),
    // The account's currency is unknown here, so this column stays empty.
    blank('Buy Value in Account Currency'),
    blank('Sell Value in Account Currency'),
    blank('Liquidity pool'),
  ],
} satisfies Importer;
