import { KOINLY_LABELS } from '../../../../../pipeline/books/reports/event-row.js';
import type { ImportCoin } from '../../../../../pipeline/books/reports/import/import-rows.js';
import { USUAL } from '../../../../../pipeline/books/terms.js';
import { amount, blank, currency, description, type Importer, text, txHash, value, word, wordsOf } from './importer.js';

/** Returns a coin's symbol. Koinly accepts unknown coins only under the names NULL1, NULL2, …. */
const symbolOf = ({ symbol, unlisted }: ImportCoin) => (unlisted === undefined ? symbol : `NULL${unlisted}`);

/**
 * Format of Koinly, universal format (support.koinly.io article 9489976; labels from public exporters). A fee is a
 * separate row, because Koinly ignores fee columns if fee and amount are in the same coin. Koinly treats rows without a
 * label as purchases or sales, unless it matches them with another wallet (article 9490066).
 */
export const koinly = {
  description:
    'Koinly, universal format: times in UTC, ascending; fees are separate rows with the label cost; sales and own transfers have no label, ' +
    'but descriptions have your tag and the receiver.',
  howTo: 'In Koinly, add a wallet, choose to import a file, and upload this file unchanged.',
  countsUnmatchedSendsAsSold: true,
  words: wordsOf(KOINLY_LABELS),
  columns: [
    text('Date', ({ time }) => `${time} UTC`),
    amount('Sent Amount', 'sent'),
    currency('Sent Currency', 'sent', symbolOf),
    amount('Received Amount', 'received'),
    currency('Received Currency', 'received', symbolOf),
    blank('Fee Amount'),
    blank('Fee Currency'),
    value('Net Worth Amount'),
    text('Net Worth Currency', ({ value }) => (value === '' ? '' : USUAL.currency.code)),
    word('Label'),
    description('Description'),
    txHash('TxHash'),
  ],
  equalRows: 'number',
} satisfies Importer;
