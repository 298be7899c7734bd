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

/**
 * Format of Awaken Tax, custom CSV (help.awaken.tax article 10422149; columns from public exporters). Gifts, donations,
 * losses and loans have no tag, because no public source names theirs, and a payment would be taxed.
 */
export const awaken = {
  description:
    'Awaken Tax: times in UTC, MM/DD/YYYY; fees are separate sends with the tag fee; gifts, donations, losses and loans have no tag; ignored rows are left out.',
  howTo:
    'In Awaken Tax, add an account and upload this file as a custom CSV. Then label your gifts, donations, losses and loans.',
  countsUnmatchedSendsAsSold: false,
  words: wordsOf({
    income: 'receive',
    reward: 'claim_rewards',
    airdrop: 'airdrop',
    payment: ['receive', 'payment'],
    purchase: 'receive',
    sale: 'payment',
    own_transfer: 'internal_transfer',
    donation: '',
    lost: '',
    expense: 'fee',
    ignore: null,
    transfer: '',
    trade: 'swap',
  }),
  unconfirmed: ['receive', 'payment', 'claim_rewards', 'airdrop', 'internal_transfer', 'fee', 'swap'],
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
  equalRows: 'number',
} satisfies Importer;
