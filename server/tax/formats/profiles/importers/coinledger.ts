import {
  americanTime,
  amount,
  blank,
  constant,
  currency,
  description,
  type Importer,
  txHash,
  word,
  wordsOf,
} from './importer.js';

/**
 * Format of CoinLedger, universal import template (help.coinledger.io article 6028758; columns from public exporters).
 * In CoinLedger, Deposit and Withdrawal are transfers between own wallets. Coins that pay for something are a Merchant
 * Payment, which is a disposal.
 */
export const coinledger = {
  description:
    'CoinLedger: times in UTC, MM/DD/YYYY; sales, payments and fees are separate rows Merchant Payment, a disposal; ' +
    'Deposit and Withdrawal are moves between own wallets.',
  howTo:
    'In CoinLedger, upload this file under “Other Account”. It has the headings of the Universal Manual Import Template.',
  countsUnmatchedSendsAsSold: false,
  words: wordsOf({
    income: 'Income',
    reward: 'Staking',
    airdrop: 'Airdrop',
    payment: ['Income', 'Merchant Payment'],
    purchase: 'Deposit',
    sale: 'Merchant Payment',
    gift: ['Gift Received', 'Gift Sent'],
    donation: 'Gift Sent',
    lost: 'Casualty Loss',
    expense: 'Merchant Payment',
    ignore: 'Ignored',
    transfer: ['Deposit', 'Withdrawal'],
    trade: 'Trade',
  }),
  unconfirmed: ['Ignored'],
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
  equalRows: 'number',
} satisfies Importer;
