import {
  amount,
  blank,
  constant,
  currency,
  type Importer,
  isoTime,
  partiesOf,
  text,
  withDollars,
  word,
  wordsOf,
} from './importer.js';

/**
 * Format of ZenLedger, custom CSV (support.zenledger.io articles 7972857 and 14319005). In ZenLedger, a Payment is
 * received. Spent coins are a Send, whose proceeds are its value. A Send is a sale unless another source has the
 * matching Receive (article 2846585). Buy and Sell have dollars on their other side. Txid is the last column of
 * ZenLedger's own export of all transactions, as public readers of it show; the articles do not mention it.
 */
export const zenledger = {
  description:
    'ZenLedger: times in UTC; fees are separate rows fee; sales and purchases have their dollars, without a price they are ' +
    'Send and Receive; Txid has the hash and the receiver; ignored rows are left out.',
  howTo:
    'In ZenLedger, import this file as a custom CSV. If ZenLedger refuses the column Txid, delete it and import the file again.',
  countsUnmatchedSendsAsSold: true,
  words: wordsOf({
    income: 'misc reward',
    reward: 'staking reward',
    airdrop: 'Airdrop',
    payment: ['Payment', 'Send'],
    purchase: 'Buy',
    sale: 'Sell',
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
    text('Txid', (row) => [row.txHash, ...partiesOf(row)].join(' ')),
  ],
  adapt: withDollars,
  equalRows: 'number',
} satisfies Importer;
