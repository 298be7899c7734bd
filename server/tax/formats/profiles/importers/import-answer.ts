/**
 * Formats /events for import into another program. Rows of all wallets are sorted by time, which some programs require.
 */
import { isOfType } from '../../../../../pipeline/reports/event-list.js';
import type { Kind } from '../../../../../pipeline/reports/event-row.js';
import { importRows } from '../../../../../pipeline/reports/import/import-rows.js';
import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { walletEvents } from '../../../dataset/wallet-ledger.js';
import type { ValidParameters } from '../../../parameters/parameters.js';
import { daysOf } from '../../../parameters/time-range.js';
import { csvAnswer, fileNameOf } from '../../csv.js';
import { type Importer, type WordedRow, worded } from './importer.js';
import { IMPORTERS } from './index.js';

export function importAnswer(parameters: ValidParameters, dataset: Dataset): Answer {
  const { profile, addresses, range } = parameters;
  const importer: Importer = IMPORTERS[profile as keyof typeof IMPORTERS];
  return csvAnswer(importer.columns, wordedRows(importer, parameters, dataset), {
    fileName: fileNameOf(`events-${profile}`, addresses, daysOf(range, dataset)),
    coverage: dataset.coverageOf(range),
  });
}

function* wordedRows(
  importer: Importer,
  parameters: ValidParameters,
  dataset: Dataset,
): Generator<WordedRow, void, undefined> {
  const { addresses, type, range, decisions } = parameters;
  const isIncluded = (kind: Kind) => importer.words[kind] !== null;
  const wallets = addresses.map((address) => ({
    events: () => walletEvents(dataset, address),
    opening: dataset.opening(address),
  }));
  for (const row of importRows(wallets, { context: dataset.rowContext, decisions, isIncluded, range })) {
    const read = isOfType(row.row, type) ? worded(row, importer) : undefined;
    if (read) yield read;
  }
}
