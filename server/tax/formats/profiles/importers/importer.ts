/**
 * Importers define the CSV format of a tax or bookkeeping program: columns, words for kinds of rows, and changes to
 * rows.
 */

import { formatDecimal, halfUp, powerOfTen } from '../../../../../pipeline/base/values/amount.js';
import type { Kind } from '../../../../../pipeline/reports/event-row.js';
import { type Field, fieldsOf } from '../../../../../pipeline/reports/field.js';
import type { ImportCoin, ImportRow } from '../../../../../pipeline/reports/import/import-rows.js';

/** One word, or two words for received and sent coins. Null if the program has no such rows. */
type Word = string | readonly [received: string, sent: string] | null;

type Words = Readonly<Record<Kind, Word>>;

type NarrowKind = 'own_transfer' | 'own_key' | 'gift' | 'loan' | 'loan_repayment' | 'fee' | 'exchange' | 'excluded';

/**
 * Completes the words. Kinds without a word of their own get the word of a wider kind. Excluded receipts are omitted.
 */
export function wordsOf(own: Omit<Words, NarrowKind> & Partial<Words>): Words {
  const { transfer, expense, trade } = own;
  const { own_transfer = transfer, loan = transfer } = own;
  const wider = { own_transfer, own_key: own_transfer, gift: transfer, loan, loan_repayment: loan };
  return { ...wider, fee: expense, exchange: trade, excluded: null, ...own };
}

export interface WordedRow extends ImportRow {
  readonly word: string;
  /** The transaction's hash. Programs skip equal rows, so the second of them has `<hash>-1`, the third `<hash>-2`. */
  readonly txHash: string;
}

export interface Importer {
  readonly description: string;
  /** How a user of the program imports the file. */
  readonly howTo: string;
  readonly words: Words;
  /** Used words that no public documentation of the program confirms. */
  readonly unconfirmed?: readonly string[];
  /** In the order of the program's template. */
  readonly columns: readonly Field<WordedRow>[];
  /**
   * What happens to rows that are equal for the program, such as two equal payments of one transaction. `number`: their
   * hashes get numbers. `add`: they become one row. Undefined: a column has the row's id, so no rows are equal.
   */
  readonly equalRows?: 'number' | 'add';
  /** Changes a row for the program. Returns undefined to omit the row. */
  readonly adapt?: (row: ImportRow) => ImportRow | undefined;
}

type Column = Field<WordedRow>;
type Side = 'sent' | 'received';

export const { text, decimal } = fieldsOf<WordedRow>();

export const blank = (name: string): Column => text(name, () => '');
export const constant = (name: string, value: string): Column => text(name, () => value);
export const word = (name: string): Column => text(name, (row) => row.word);

export const shownAmount = (coin: ImportCoin | undefined): string =>
  coin === undefined ? '' : formatDecimal(coin.units, coin.decimals);

export const amount = (name: string, side: Side): Column => decimal(name, (row) => shownAmount(row[side]));
export const currency = (name: string, side: Side, symbolOf = ({ symbol }: ImportCoin): string => symbol): Column =>
  text(name, (row) => (row[side] ? symbolOf(row[side]) : ''));
/**
 * Column with a row's value.
 * @param side `sent`: only rows that send coins have a value; `received`: only rows that receive coins
 */
export const value = (name: string, side?: Side): Column =>
  decimal(name, (row) => (side === undefined || row[side] ? row.valueUsd : ''));

/** Format: YYYY-MM-DD HH:MM:SS in UTC. */
export const isoTime = (name: string): Column => text(name, ({ row }) => row.event.time);
/** Format: MM/DD/YYYY HH:MM:SS in UTC. */
export const americanTime = (name: string): Column =>
  text(name, ({ row }) => row.event.time.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$2/$3/$1'));

export const txHash = (name: string): Column => text(name, (row) => row.txHash);
/** Column with an id that is the same in each export. */
export const rowId = (name: string): Column => text(name, ({ row }) => `${row.event.id}.${row.event.address}`);
export const description = (name: string): Column => text(name, describe);

export function describe({ row, sent, received }: WordedRow): string {
  const denoms = [sent, received].flatMap((coin) => (coin?.unlisted === undefined ? [] : [coin.denom]));
  return [row.category.label, row.event.detail, ...denoms].filter((part) => part !== '').join('; ');
}

/** Returns an `adapt` that rounds amounts to the decimals that a program accepts. Leaves out amounts of zero. */
export const atMostDecimals =
  (max: number) =>
  (row: ImportRow): ImportRow | undefined => {
    const [sent, received] = [rounded(row.sent, max), rounded(row.received, max)];
    if (!sent && !received) return undefined;
    const isHalfTrade = row.kind === 'trade' && !(sent && received);
    return { ...row, sent, received, ...(isHalfTrade && { kind: sent ? 'sale' : 'purchase' }) };
  };

function rounded(coin: ImportCoin | undefined, max: number): ImportCoin | undefined {
  if (!coin || coin.decimals <= max) return coin;
  const units = halfUp(coin.units, powerOfTen(coin.decimals - max));
  return units === 0n ? undefined : { ...coin, units, decimals: max };
}
