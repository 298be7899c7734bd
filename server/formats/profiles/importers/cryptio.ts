import { amount, blank, constant, currency, description, isoTime, text, txHash, word } from './columns.js';
import type { Importer } from './importer.js';

/** Cryptio, custom import (columns as public exporters write them). */
export const cryptio = {
  description:
    'Cryptio: times in UTC; fees are withdrawals of their own; transfers to own keys are internal; ignored rows are left out.',
  words: {
    income: 'deposit',
    reward: 'deposit',
    airdrop: 'deposit',
    payment: ['deposit', 'withdraw'],
    purchase: 'deposit',
    sale: 'withdraw',
    own_transfer: ['deposit', 'withdraw'],
    gift: ['deposit', 'withdraw'],
    donation: 'withdraw',
    lost: 'withdraw',
    expense: 'withdraw',
    loan: ['deposit', 'withdraw'],
    loan_repayment: ['deposit', 'withdraw'],
    ignore: null,
    transfer: ['deposit', 'withdraw'],
    own_key: ['deposit', 'withdraw'],
    fee: 'withdraw',
    trade: 'trade',
    exchange: 'trade',
  },
  columns: [
    isoTime('transactionDate'),
    word('orderType'),
    txHash('txhash'),
    currency('incomingAsset', 'received'),
    amount('incomingVolume', 'received'),
    currency('outgoingAsset', 'sent'),
    amount('outgoingVolume', 'sent'),
    blank('feeAsset'),
    blank('feeVolume'),
    text('otherParties', ({ row }) => row.event.counterparty ?? ''),
    description('note'),
    constant('success', '1'),
    text('internalTransfer', ({ kind }) => (kind === 'own_transfer' || kind === 'own_key' ? '1' : '0')),
  ],
} satisfies Importer;
