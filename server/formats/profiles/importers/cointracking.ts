import type { ImportCoin } from '../../../../pipeline/reports/import/import-row.js';
import { amount, blank, constant, currency, description, isoTime, rowId, text, word } from './columns.js';
import { type Importer, wordsOf } from './importer.js';

/** CoinTracking's ticker of the Cosmos Hub's coin; ATOM names an older one there. */
const symbolOf = ({ symbol }: ImportCoin) => (symbol === 'ATOM' ? 'ATOM2' : symbol);

/**
 * CoinTracking, CSV import (cointracking.freshdesk.com article 29000042783). A fee is a row `Other Fee` of its own: in the fee columns it
 * would have to be part of the amount sold, too.
 */
export const cointracking = {
  description: 'CoinTracking: times in UTC; ATOM is ATOM2; fees are rows Other Fee; ignored rows are left out.',
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
    // Their values are in the currency of the account, which only its owner knows.
    blank('Buy Value in Account Currency'),
    blank('Sell Value in Account Currency'),
    blank('Liquidity pool'),
  ],
} satisfies Importer;
