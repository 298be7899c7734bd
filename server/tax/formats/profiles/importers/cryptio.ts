import {
  amount,
  blank,
  constant,
  currency,
  description,
  type Importer,
  isoTime,
  text,
  txHash,
  word,
  wordsOf,
} from './importer.js';

/** Cryptio, custom import (columns from public exporters). */
export const cryptio = {
  description:
    'Cryptio, columns without rates and values: times in UTC; fees are separate withdrawals; transfers to own keys are internal; ignored rows are left out.',
  words: wordsOf({
    income: 'deposit',
    reward: 'deposit',
    airdrop: 'deposit',
    payment: ['deposit', 'withdraw'],
    purchase: 'deposit',
    sale: 'withdraw',
    donation: 'withdraw',
    lost: 'withdraw',
    expense: 'withdraw',
    ignore: null,
    transfer: ['deposit', 'withdraw'],
    trade: 'trade',
  }),
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
  equalRows: 'number',
} satisfies Importer;
