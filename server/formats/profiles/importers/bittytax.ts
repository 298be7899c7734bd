import { amount, blank, currency, decimal, describe, isoTime, shownAmount, text, word } from './columns.js';
import { type Importer, type WordedRow, wordsOf } from './importer.js';

/** The fee stands in its own columns; the sold quantity beside it is a dummy, without which BittyTax takes no fee alone. */
const sold = ({ kind, sent }: WordedRow) => (kind === 'fee' ? '0' : shownAmount(sent));

/**
 * BittyTax (data/example.csv and bt_types.py of its repository). Stake that stays one's own is left out: it would be counted on top of the
 * rewards. Values are in GBP there, and are looked up by the program itself. Rewards are `Staking`, which every version reads: the
 * repository prefers `Staking-Reward`, which no release knows.
 */
export const bittytax = {
  description: 'BittyTax: times in UTC; a fee is a Spend of nothing with that fee; ignored rows are left out.',
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
    text('Note', (row) => `${describe(row)} ${row.row.event.tx_hash}`),
  ],
} satisfies Importer;
