import { isOfType } from '../../../../../pipeline/reports/event-list.js';
import type { Kind } from '../../../../../pipeline/reports/event-row.js';
import { type ImportRow, importRows } from '../../../../../pipeline/reports/import/import-rows.js';
import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { lotsOf, walletEvents } from '../../../dataset/wallet-ledger.js';
import type { ValidParameters } from '../../../parameters/parameters.js';
import { daysOf, isInRange } from '../../../parameters/time-range.js';
import { csvAnswer, fileNameOf } from '../../csv.js';
import { awaken } from './awaken.js';
import { bittytax } from './bittytax.js';
import { coinledger } from './coinledger.js';
import { cointracker } from './cointracker.js';
import { cointracking } from './cointracking.js';
import { cryptio } from './cryptio.js';
import type { Importer, WordedRow } from './importer.js';
import { koinly } from './koinly.js';
import { taxbit } from './taxbit.js';
import { turbotax } from './turbotax.js';
import { zenledger } from './zenledger.js';

export const IMPORTERS = {
  koinly,
  cointracker,
  coinledger,
  zenledger,
  cointracking,
  awaken,
  turbotax,
  taxbit,
  cryptio,
  bittytax,
} satisfies Readonly<Record<string, Importer>>;

/**
 * Formats /events for import into another program. Rows of all wallets are sorted by time, which some programs require.
 */
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
  const { addresses, type, range, decisions, opening } = parameters;
  const isIncluded = (kind: Kind) => importer.words[kind] !== null;
  const day = dataset.indexStart;
  const deposits = opening === 'deposit' && isInRange(`${day} 00:00:00`, range);
  const wallets = addresses.map((address) => ({
    events: () => walletEvents(dataset, address),
    opening: dataset.opening(address),
    receipts: deposits ? { address, day, lots: lotsOf(address, parameters) } : undefined,
  }));
  for (const row of importRows(wallets, { context: dataset.rowContext, decisions, isIncluded, range })) {
    const read = isOfType(row.row, type) ? worded(row, importer) : undefined;
    if (read) yield read;
  }
}

export function worded(row: ImportRow, { words, adapt }: Importer): WordedRow | undefined {
  const adapted = adapt ? adapt(row) : row;
  if (!adapted) return undefined;
  const word = words[adapted.kind];
  if (word === null) return undefined;
  return { ...adapted, word: typeof word === 'string' ? word : word[adapted.received ? 0 : 1] };
}
