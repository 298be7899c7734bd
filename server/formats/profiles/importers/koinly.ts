import type { ImportCoin } from '../../../../pipeline/reports/import/import-row.js';
import { KOINLY_LABELS } from '../../../../pipeline/reports/label.js';
import { amount, blank, currency, description, text, txHash, value, word } from './columns.js';
import { type Importer, wordsOf } from './importer.js';

/** Koinly takes coins that it does not know under numbered names. */
const symbolOf = ({ symbol, unlisted }: ImportCoin) => (unlisted === undefined ? symbol : `NULL${unlisted}`);

/**
 * Koinly, universal format (support.koinly.io article 9489976; labels of public exporters). A fee is a row of its own: Koinly passes over
 * the fee columns where fee and principal are one coin. A receipt without a label counts as bought at market, a payment as sold.
 */
export const koinly = {
  description: 'Koinly, universal format: times in UTC, ascending; fees are rows of their own with the label cost.',
  words: wordsOf(KOINLY_LABELS),
  columns: [
    text('Date', ({ row }) => `${row.event.time} UTC`),
    amount('Sent Amount', 'sent'),
    currency('Sent Currency', 'sent', symbolOf),
    amount('Received Amount', 'received'),
    currency('Received Currency', 'received', symbolOf),
    blank('Fee Amount'),
    blank('Fee Currency'),
    value('Net Worth Amount'),
    text('Net Worth Currency', ({ valueUsd }) => (valueUsd === '' ? '' : 'USD')),
    word('Label'),
    description('Description'),
    txHash('TxHash'),
  ],
} satisfies Importer;
