import { amount, blank, constant, currency, type Importer, isoTime, word, wordsOf } from './importer.js';

/** ZenLedger, custom CSV (support.zenledger.io article 7972857; types inferred from its terms). */
export const zenledger = {
  description: 'ZenLedger: times in UTC; fees are separate payments; ignored rows are left out.',
  words: wordsOf({
    income: 'misc reward',
    reward: 'staking reward',
    airdrop: 'Airdrop',
    payment: ['misc reward', 'Payment'],
    purchase: 'Receive',
    sale: 'Send',
    donation: 'Send',
    lost: 'Send',
    expense: 'Payment',
    ignore: null,
    transfer: ['Receive', 'Send'],
    trade: 'Trade',
  }),
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
} satisfies Importer;
