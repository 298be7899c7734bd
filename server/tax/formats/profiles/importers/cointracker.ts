import { americanTime, amount, blank, currency, type Importer, word, wordsOf } from './importer.js';

/** CoinTracker (support.cointracker.io articles 4413071299729 and 4413049710225). All headings are required. */
export const cointracker = {
  description: 'CoinTracker: times in UTC, MM/DD/YYYY; fees are separate sends; ignored rows are left out.',
  words: wordsOf({
    income: 'other income',
    reward: 'staking',
    airdrop: 'airdrop',
    payment: ['payment', ''],
    purchase: 'Buy',
    sale: '',
    own_transfer: 'Transfer',
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
} satisfies Importer;
