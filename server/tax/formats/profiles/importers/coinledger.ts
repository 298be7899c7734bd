import { americanTime, amount, blank, constant, currency, description, txHash, word } from './columns.js';
import { type Importer, wordsOf } from './importer.js';

/** CoinLedger, universal import template (columns from public exporters). */
export const coinledger = {
  description: 'CoinLedger: times in UTC, MM/DD/YYYY; fees are separate withdrawals.',
  words: wordsOf({
    income: 'Income',
    reward: 'Staking',
    airdrop: 'Airdrop',
    payment: ['Income', 'Withdrawal'],
    purchase: 'Deposit',
    sale: 'Withdrawal',
    gift: ['Gift Received', 'Gift Sent'],
    donation: 'Gift Sent',
    lost: 'Casualty Loss',
    expense: 'Withdrawal',
    ignore: 'Ignored',
    transfer: ['Deposit', 'Withdrawal'],
    trade: 'Trade',
  }),
  columns: [
    americanTime('Date (UTC)'),
    constant('Platform (Optional)', 'Cosmos Hub'),
    currency('Asset Sent', 'sent'),
    amount('Amount Sent', 'sent'),
    currency('Asset Received', 'received'),
    amount('Amount Received', 'received'),
    blank('Fee Currency (Optional)'),
    blank('Fee Amount (Optional)'),
    word('Type'),
    description('Description (Optional)'),
    txHash('TxHash (Optional)'),
  ],
} satisfies Importer;
