import { americanTime, amount, atMostDecimals, blank, currency, type Importer, word, wordsOf } from './importer.js';

/**
 * Format of CoinTracker (support.cointracker.io articles 4413071299729 and 4413049710225). All headings are required,
 * and amounts have at most eight decimals (community.cointracker.io, topic 553). Buy, Sell and Transfer have no tag,
 * because CoinTracker detects them itself. A send without a matching receipt is a disposal (article 4413071374481). No
 * column can contain an id or a hash, so equal rows are combined into one.
 */
export const cointracker = {
  description:
    'CoinTracker: times in UTC, MM/DD/YYYY; at most eight decimals; fees are separate sends; equal rows of one second are ' +
    'one row; ignored rows are left out.',
  howTo:
    'In CoinTracker, add a wallet, choose to upload a CSV file, and upload this file. It has the headings of the CoinTracker CSV template.',
  countsUnmatchedSendsAsSold: true,
  words: wordsOf({
    income: 'other income',
    reward: 'staking',
    airdrop: 'airdrop',
    payment: ['payment', ''],
    purchase: '',
    sale: '',
    own_transfer: '',
    gift: 'gift',
    donation: 'donation',
    lost: 'lost',
    expense: '',
    loan: 'borrow',
    loan_repayment: 'loan repayment',
    ignore: null,
    transfer: '',
    trade: '',
  }),
  columns: [
    americanTime('Date'),
    amount('Received Quantity', 'received'),
    currency('Received Currency', 'received'),
    amount('Sent Quantity', 'sent'),
    currency('Sent Currency', 'sent'),
    blank('Fee Amount'),
    blank('Fee Currency'),
    word('Tag'),
  ],
  adapt: atMostDecimals(8),
  equalRows: 'add',
} satisfies Importer;
