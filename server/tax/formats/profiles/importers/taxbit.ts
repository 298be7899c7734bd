import { amount, blank, currency, type Importer, idOf, partiesOf, text, txHash, word, wordsOf } from './importer.js';

const WALLET = 'ATOM WALLET';

/**
 * Format of TaxBit, manual CSV (help.taxbit.com article 360047756913). TaxBit detects duplicates by the column with the
 * exchange's transaction id. A transfer stays with its owner (article 360053296133).
 */
export const taxbit = {
  description:
    'TaxBit: times in UTC, RFC 3339; fees are separate expenses; the transaction id ends with the receiver; ignored rows are left out.',
  howTo: 'In TaxBit, add a source, choose the manual CSV file, and upload this file.',
  countsUnmatchedSendsAsSold: false,
  words: wordsOf({
    income: 'Income',
    reward: 'Income',
    airdrop: 'Income',
    payment: ['Income', 'Expense'],
    purchase: 'Transfer In',
    sale: 'Expense',
    donation: 'Transfer Out',
    lost: 'Expense',
    expense: 'Expense',
    ignore: null,
    transfer: ['Transfer In', 'Transfer Out'],
    trade: 'Trade',
  }),
  columns: [
    text('Date and Time', ({ time }) => `${time.replace(' ', 'T')}Z`),
    word('Transaction Type'),
    amount('Sent Quantity', 'sent'),
    currency('Sent Currency', 'sent'),
    text('Sending Source', ({ sent }) => (sent ? WALLET : '')),
    amount('Received Quantity', 'received'),
    currency('Received Currency', 'received'),
    text('Receiving Destination', ({ received }) => (received ? WALLET : '')),
    blank('Fee'),
    blank('Fee Currency'),
    text('Exchange Transaction ID', (row) => [idOf(row), ...partiesOf(row)].join('.')),
    txHash('Blockchain Transaction Hash'),
  ],
} satisfies Importer;
