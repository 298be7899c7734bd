import {
  americanTime,
  amount,
  blank,
  currency,
  description,
  type Importer,
  txHash,
  value,
  word,
  wordsOf,
} from './importer.js';

/** Awaken Tax, custom CSV (help.awaken.tax article 10422149; columns from public exporters). */
export const awaken = {
  description:
    'Awaken Tax: times in UTC, MM/DD/YYYY; fees are separate sends with the tag fee; ignored rows are left out.',
  words: wordsOf({
    income: 'receive',
    reward: 'claim_rewards',
    airdrop: 'airdrop',
    payment: ['receive', 'payment'],
    purchase: 'receive',
    sale: 'payment',
    own_transfer: 'internal_transfer',
    gift: ['receive', 'payment'],
    donation: 'payment',
    lost: 'payment',
    expense: 'fee',
    loan: ['receive', 'payment'],
    ignore: null,
    transfer: '',
    trade: 'swap',
  }),
  columns: [
    americanTime('Date'),
    amount('Received Quantity', 'received'),
    currency('Received Currency', 'received'),
    value('Received Fiat Amount', 'received'),
    amount('Sent Quantity', 'sent'),
    currency('Sent Currency', 'sent'),
    value('Sent Fiat Amount', 'sent'),
    blank('Fee Amount'),
    blank('Fee Currency'),
    txHash('Transaction Hash'),
    description('Notes'),
    word('Tag'),
  ],
} satisfies Importer;
