/**
 * Importers: tax and bookkeeping programs that import a wallet's history as CSV. Each has columns, words for kinds of
 * rows, and optionally a function that adapts rows.
 */

import type { Kind } from '../../../../../pipeline/reports/event-row.js';
import type { Field } from '../../../../../pipeline/reports/field.js';
import type { ImportRow } from '../../../../../pipeline/reports/import/import-rows.js';

/** One word, or one each for received and sent; null if the program has no such rows. */
type Word = string | readonly [received: string, sent: string] | null;

type Words = Readonly<Record<Kind, Word>>;

/** Kinds that many programs do not distinguish. */
type NarrowKind = 'own_transfer' | 'own_key' | 'gift' | 'loan' | 'loan_repayment' | 'fee' | 'exchange' | 'excluded';

/** Completes a program's words: a kind without a word gets the word of a wider kind; excluded receipts are left out. */
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
  /** What the file contains and how the program treats it. */
  readonly description: string;
  readonly words: Words;
  /** In the order of the program's template. */
  readonly columns: readonly Field<WordedRow>[];
  /** Adapts a row; undefined leaves it out. */
  readonly adapt?: (row: ImportRow) => ImportRow | undefined;
}

/** Adapts a row and adds its word; undefined if the row is left out. */
export function worded(row: ImportRow, { words, adapt }: Importer): WordedRow | undefined {
  const adapted = adapt ? adapt(row) : row;
  if (!adapted) return undefined;
  const word = words[adapted.kind];
  if (word === null) return undefined;
  return { ...adapted, word: typeof word === 'string' ? word : word[adapted.received ? 0 : 1] };
}
