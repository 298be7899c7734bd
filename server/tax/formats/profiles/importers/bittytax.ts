import {
  amount,
  blank,
  currency,
  decimal,
  describeWithHash,
  type Importer,
  isoTime,
  shownAmount,
  text,
  type WordedRow,
  word,
  wordsOf,
} from './importer.js';

/** Returns the sold quantity. BittyTax requires it, so a row that is only a fee sells 0. */
const sold = ({ kind, sent }: WordedRow) => (kind === 'fee' ? '0' : shownAmount(sent));

/**
 * Format of BittyTax (data/example.csv and bt_types.py in its repository). Rows about staking are omitted, because
 * BittyTax would count them in addition to rewards. Values stay empty, because BittyTax works in GBP. Rewards are
 * `Staking`, because no release supports `Staking-Reward` yet. BittyTax skips the first line, so a byte order mark does no
 * harm (import_records.py).
 */
export const bittytax = {
  description: 'BittyTax: times in UTC; a fee is a Spend of zero with that fee; ignored rows are left out.',
  howTo: 'Run bittytax with the name of this file.',
  readsMark: true,
  countsUnmatchedSendsAsSold: false,
  joint: 'The column Wallet names the wallet of each row.',
  words: wordsOf({
    income: 'Income',
    reward: 'Staking',
    airdrop: 'Airdrop',
    payment: ['Income', 'Spend'],
    purchase: 'Deposit',
    sale: 'Spend',
    gift: ['Gift-Received', 'Gift-Sent'],
    donation: 'Charity-Sent',
    lost: 'Lost',
    expense: 'Spend',
    loan: ['Loan', 'Withdrawal'],
    loan_repayment: ['Deposit', 'Loan-Repayment'],
    ignore: null,
    transfer: ['Deposit', 'Withdrawal'],
    trade: 'Trade',
  }),
  columns: [
    word('Type'),
    amount('Buy Quantity', 'received'),
    currency('Buy Asset', 'received'),
    blank('Buy Value in GBP'),
    decimal('Sell Quantity', sold),
    currency('Sell Asset', 'sent'),
    blank('Sell Value in GBP'),
    decimal('Fee Quantity', ({ kind, sent }) => (kind === 'fee' ? shownAmount(sent) : '')),
    text('Fee Asset', ({ kind, sent }) => (kind === 'fee' ? sent!.symbol : '')),
    blank('Fee Value in GBP'),
    text('Wallet', ({ row }) => `Cosmos Hub ${row.event.address.slice(0, 16)}`),
    isoTime('Timestamp'),
    text('Note', describeWithHash),
  ],
  equalRows: 'number',
} satisfies Importer;
