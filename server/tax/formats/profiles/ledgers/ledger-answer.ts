import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { refusal } from '../../../parameters/faults.js';
import { daysOf } from '../../../parameters/time-range.js';
import { CSV_TYPE, csvAnswer, fileNameOf } from '../../csv.js';
import { entriesOfRange, type Stated } from '../../entries-of-range.js';
import { beancount } from './beancount.js';
import { chartOf, DATEV_DESCRIPTION, DATEV_NAME, datevHead, datevLine } from './datev.js';
import { hledger } from './hledger.js';
import { type Notation, plainText } from './plain-text.js';
import { quickbooks } from './quickbooks.js';
import { sidesOf, type Table } from './tables.js';
import { xero } from './xero.js';

const TABLES: Readonly<Record<string, Table>> = { quickbooks, xero };
const NOTATIONS: Readonly<Record<string, Notation>> = { hledger, beancount };

/** In documentation order. */
export const LEDGERS = Object.entries({ ...TABLES, datev: { description: DATEV_DESCRIPTION }, ...NOTATIONS }).map(
  ([profile, { description }]) => ({ profile, description }),
);

const PLAIN_TYPE = 'text/plain; charset=utf-8';

/** @throws Problem for DATEV if the range spans more than one year */
export function ledgerAnswer(stated: Stated, dataset: Dataset): Answer {
  const { profile, addresses, range } = stated;
  const span = daysOf(range, dataset);
  const coverage = dataset.coverageOf(range);
  const nameWith = (extension: string) => fileNameOf(`journal-${profile}`, addresses, span, extension);
  const notation = NOTATIONS[profile];
  if (notation) {
    const fileName = nameWith(notation.extension);
    return { chunks: plainText(notation, stated, dataset), type: PLAIN_TYPE, fileName, coverage };
  }
  const fileName = nameWith('csv');
  const table = TABLES[profile];
  if (table) return csvAnswer(table.columns, sides(stated, dataset), { fileName, coverage });
  return { chunks: datevLines(stated, dataset, span), type: CSV_TYPE, fileName: DATEV_NAME + fileName, coverage };
}

function* sides(stated: Stated, dataset: Dataset) {
  for (const entry of entriesOfRange(stated, dataset)) yield* sidesOf(entry, stated.accounts);
}

function datevLines(stated: Stated, dataset: Dataset, [first, last]: readonly [string, string]): Iterable<string> {
  if (first.slice(0, 4) !== last.slice(0, 4)) {
    const message = `is for one calendar year a file: give a start and an end in one year, not ${first} to ${last}`;
    throw refusal(stated.source, [{ name: 'journal_profile', path: '', message }]);
  }
  const { rules } = dataset.reference;
  const chart = chartOf(stated.accounts, rules.denomination(rules.nativeDenom).symbol);
  function* lines() {
    yield datevHead(first, last, dataset.time, chart);
    for (const entry of entriesOfRange(stated, dataset)) yield datevLine(entry, chart);
  }
  return lines();
}
