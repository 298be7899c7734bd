import {
  americanTime,
  amount,
  atMostDecimals,
  blank,
  currency,
  type Importer,
  withDollars,
  word,
  wordsOf,
} from './importer.js';

const toEightDecimals = atMostDecimals(8);

/**
 * Format of CoinTracker (support.cointracker.io articles 4413071299729 and 4413049710225). All headings are required, no
 * others are allowed, and amounts have at most eight decimals (community.cointracker.io, topic 553). So no column can
 * contain a hash or a receiver. Buy, Sell and Transfer have no tag, because CoinTracker detects them itself: a send
 * without a matching receipt is a disposal (article 4413071374481), and coins against dollars are a sale (article
 * 15888597060881).
 */
export const cointracker = {
  description:
    'CoinTracker: times in UTC, MM/DD/YYYY; at most eight decimals; fees are separate sends; sales have their dollars; equal ' +
    'rows are a second apart; no hashes or receivers, because the template has no column for them; ignored rows are left out.',
  howTo:
    'In CoinTracker, add a wallet, choose to upload a CSV file, and upload this file. It has the headings of the CoinTracker CSV template. The file Transactions of the report has the hash and the receiver of each send.',
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
  adapt: (row) => {
    const rounded = toEightDecimals(row);
    return rounded && withDollars(rounded);
  },
  equalRows: 'spread',
} satisfies Importer;
