/**
 * Importers define the CSV format of a tax or bookkeeping program: columns, words for kinds of rows, and changes to
 * rows.
 */

import type { Kind } from '../../../../../pipeline/reports/event-row.js';
import type { Field } from '../../../../../pipeline/reports/field.js';
import type { ImportRow } from '../../../../../pipeline/reports/import/import-rows.js';

/** One word, or two for received and sent coins; null if the program has no such rows. */
type Word = string | readonly [received: string, sent: string] | null;

type Words = Readonly<Record<Kind, Word>>;

type NarrowKind = 'own_transfer' | 'own_key' | 'gift' | 'loan' | 'loan_repayment' | 'fee' | 'exchange' | 'excluded';

/** Kinds without a word of their own get the word of a wider kind. Excluded receipts are left out. */
export function wordsOf(own: Omit<Words, NarrowKind> & Partial<Words>): Words {
  const { transfer, expense, trade } = own;
  const { own_transfer = transfer, loan = transfer } = own;
  const wider = { own_transfer, own_key: own_transfer, gift: transfer, loan, loan_repayment: loan };
  return { ...wider, fee: expense, exchange: trade, excluded: null, ...own };
}

export interface WordedRow extends ImportRow {
  readonly word: string;
}

export interface Importer {
  readonly description: string;
  readonly words: Words;
  /** In the order of the program's template. */
  readonly columns: readonly Field<WordedRow>[];
  /** Returns undefined to leave the row out. */
  readonly adapt?: (row: ImportRow) => ImportRow | undefined;
}

export function worded(row: ImportRow, { words, adapt }: Importer): WordedRow | undefined {
  const adapted = adapt ? adapt(row) : row;
  if (!adapted) return undefined;
  const word = words[adapted.kind];
  if (word === null) return undefined;
  return { ...adapted, word: typeof word === 'string' ? word : word[adapted.received ? 0 : 1] };
}
