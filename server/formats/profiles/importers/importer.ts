/**
 * Importers: programs for taxes and bookkeeping that read a wallet's history from CSV. Each is data, its columns and its words, and
 * where it needs one a function that changes a row for it.
 */
import type { Field } from '../../../../pipeline/reports/field.js';
import type { ImportRow } from '../../../../pipeline/reports/import/import-row.js';
import type { Kind } from '../../../../pipeline/reports/import/kind.js';

/** The word for what arrives and for what leaves, where they differ; null: the program has no such rows. */
type Word = string | readonly [received: string, sent: string] | null;

type Words = Readonly<Record<Kind, Word>>;

/** Kinds that many programs have no word of their own for. */
type NarrowKind = 'own_transfer' | 'own_key' | 'gift' | 'loan' | 'loan_repayment' | 'fee' | 'exchange' | 'excluded';

/** All words of a program: a kind without one of its own has that of a wider kind, and nobody is told of excluded receipts. */
export function wordsOf(own: Omit<Words, NarrowKind> & Partial<Words>): Words {
  const { transfer, expense, trade } = own;
  const { own_transfer = transfer, loan = transfer } = own;
  const wider = { own_transfer, own_key: own_transfer, gift: transfer, loan, loan_repayment: loan };
  return { ...wider, fee: expense, exchange: trade, excluded: null, ...own };
}

/** An import row with the program's word for it. */
export interface WordedRow extends ImportRow {
  readonly word: string;
}

export interface Importer {
  /** Content of the file, and what the program makes of it. */
  readonly description: string;
  readonly words: Words;
  /** Columns in the order of the program's template. */
  readonly columns: readonly Field<WordedRow>[];
  /** Changes a row for the program; undefined: it is left out. */
  readonly adapt?: (row: ImportRow) => ImportRow | undefined;
}

/** A row as a program reads it; undefined where it is left out. */
export function worded(row: ImportRow, { words, adapt }: Importer): WordedRow | undefined {
  const adapted = adapt ? adapt(row) : row;
  if (!adapted) return undefined;
  const word = words[adapted.kind];
  if (word === null) return undefined;
  return { ...adapted, word: typeof word === 'string' ? word : word[adapted.received ? 0 : 1] };
}
