import { amount, blank, constant, currency, type Importer, isoTime, word, wordsOf } from './importer.js';

/**
 * Format of ZenLedger, custom CSV (support.zenledger.io articles 7972857 and 14319005). In ZenLedger, a Payment is
 * received. Spent coins are a Send, whose proceeds are its value. A Send is a sale unless another source has the
 * matching Receive (article 2846585). No column can contain an id or a hash, so equal rows are combined into one.
 */
export const zenledger = {
  description:
    'ZenLedger: times in UTC; fees are separate rows fee; equal rows of one second are one row; ignored rows are left out.',
  howTo: 'In ZenLedger, import this file as a custom CSV.',
  countsUnmatchedSendsAsSold: true,
  words: wordsOf({
    income: 'misc reward',
    reward: 'staking reward',
    airdrop: 'Airdrop',
    payment: ['Payment', 'Send'],
    purchase: 'Receive',
    sale: 'Send',
    gift: ['Receive', 'gift sent'],
    donation: 'donation 501c3',
    lost: 'lost',
    expense: 'Send',
    fee: 'fee',
    ignore: null,
    transfer: ['Receive', 'Send'],
    trade: 'Trade',
  }),
  unconfirmed: ['donation 501c3'],
  columns: [
    isoTime('Timestamp'),
    word('Type'),
    amount('IN Amount', 'received'),
    currency('IN Currency', 'received'),
    amount('Out Amount', 'sent'),
    currency('Out Currency', 'sent'),
    blank('Fee Amount'),
    blank('Fee Currency'),
    constant('Exchange(optional)', 'Cosmos Hub'),
    blank('US Based'),
  ],
  equalRows: 'add',
} satisfies Importer;
