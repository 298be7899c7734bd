/**
 * An importer defines the CSV format of a tax or bookkeeping program: columns, words for kinds of rows, and changes of
 * rows.
 */

import { formatDecimal, halfUp, parseDecimal, powerOfTen } from '../../../../../pipeline/base/values/amount.js';
import type { Kind } from '../../../../../pipeline/books/reports/event-row.js';
import { type Field, fieldsOf } from '../../../../../pipeline/books/reports/field.js';
import type { ImportCoin, ImportRow } from '../../../../../pipeline/books/reports/import/import-rows.js';
import { USUAL } from '../../../../../pipeline/books/terms.js';

/** One word, or one word for received coins and one for sent coins. Null if the program has no such rows. */
type Word = string | readonly [received: string, sent: string] | null;

type Words = Readonly<Record<Kind, Word>>;

type NarrowKind = 'own_transfer' | 'own_key' | 'gift' | 'loan' | 'loan_repayment' | 'fee' | 'exchange' | 'excluded';

/**
 * Completes the words of a program. A kind without its own word gets the word of a wider kind. Excluded receipts are
 * omitted.
 */
export function wordsOf(given: Omit<Words, NarrowKind> & Partial<Words>): Words {
  const { transfer, expense, trade } = given;
  const { own_transfer = transfer, loan = transfer } = given;
  const wider = { own_transfer, own_key: own_transfer, gift: transfer, loan, loan_repayment: loan };
  return { ...wider, fee: expense, exchange: trade, excluded: null, ...given };
}

export interface WordedRow extends ImportRow {
  readonly word: string;
  /** YYYY-MM-DD HH:MM:SS in UTC. */
  readonly time: string;
  /**
   * The transaction's hash. Programs skip equal rows, so the second equal row has `<hash>-1`, and the third has
   * `<hash>-2`.
   */
  readonly txHash: string;
}

export interface Importer {
  readonly description: string;
  /** Instructions for importing the file into the program. */
  readonly howTo: string;
  /** Whether the program reads a file that begins with a byte order mark, by which Excel recognizes UTF-8. */
  readonly readsMark?: true;
  /** Whether the program counts a send as sold until it also has the receiving account. */
  readonly countsUnmatchedSendsAsSold: boolean;
  /**
   * Why one file may contain several wallets. Undefined: each wallet needs its own file, because the program assigns
   * all rows of a file to one wallet.
   */
  readonly joint?: string;
  readonly words: Words;
  /** Words that are used although no public documentation of the program confirms them. */
  readonly unconfirmed?: readonly string[];
  /** Columns in the order of the program's template. */
  readonly columns: readonly Field<WordedRow>[];
  /**
   * How to treat rows that look equal to the program, such as two equal payments in one transaction. `number`: their
   * hashes get numbers. `spread`: their times differ by a second each. Undefined: rows are never equal, because a column
   * contains their id.
   */
  readonly equalRows?: 'number' | 'spread';
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
 * Returns a column with the value of a row.
 * @param side `sent`: only rows that send coins have a value; `received`: only rows that receive coins
 */
export const value = (name: string, side?: Side): Column =>
  decimal(name, (row) => (side === undefined || row[side] ? row.value : ''));

/** Returns a column with the row's time as YYYY-MM-DD HH:MM:SS in UTC. */
export const isoTime = (name: string): Column => text(name, ({ time }) => time);
/** Returns a column with the row's time as MM/DD/YYYY HH:MM:SS in UTC. */
export const americanTime = (name: string): Column =>
  text(name, ({ time }) => time.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$2/$3/$1'));

export const txHash = (name: string): Column => text(name, (row) => row.txHash);
/** Returns an id that is the same in every export. */
export const idOf = ({ row: { event } }: WordedRow): string => `${event.id}.${event.address}`;
export const rowId = (name: string): Column => text(name, idOf);
export const description = (name: string): Column => text(name, describe);

/** Returns the row's label, tag, detail, receiver or sender, and denoms that the asset registry does not list. */
function describe({ row, sent, received }: WordedRow): string {
  const { detail, counterparty } = row.event;
  const isNamed = counterparty === null || detail.includes(counterparty);
  const party = isNamed ? '' : `${sent ? 'to' : 'from'} ${counterparty}`;
  const tag = row.userTag === '' ? '' : `tag ${row.userTag}`;
  const denoms = [sent, received].flatMap((coin) => (coin?.unlisted === undefined ? [] : [coin.denom]));
  return [row.category.label, tag, detail, party, ...denoms].filter((part) => part !== '').join('; ');
}

/** For programs without a column for the hash. */
export const describeWithHash = (row: WordedRow): string => `${describe(row)} ${row.txHash}`;

const ADDRESS = /\b[a-z]+1[02-9ac-hj-np-z]{38,}\b/g;

/** Returns the row's receiver or sender. A payment to several receivers names them in its detail. */
export const partiesOf = ({ row: { event } }: WordedRow): readonly string[] =>
  event.counterparty === null ? (event.detail.match(ADDRESS) ?? []) : [event.counterparty];

/**
 * Returns a function for `adapt` that rounds amounts to the decimals that a program accepts, and removes amounts of
 * zero.
 */
export const atMostDecimals =
  (max: number) =>
  (row: ImportRow): ImportRow | undefined => {
    const [sent, received] = [rounded(row.sent, max), rounded(row.received, max)];
    if (!sent && !received) return undefined;
    const isHalfTrade = row.kind === 'trade' && !(sent && received);
    return { ...row, sent, received, ...(isHalfTrade && { kind: sent ? 'sale' : 'purchase' }) };
  };

/**
 * Adds the value of a sale or purchase as money, for programs that recognize both by it. Without a value, the row
 * becomes a payment or a plain receipt, which these programs value themselves.
 */
export function withDollars(row: ImportRow): ImportRow {
  const { kind, sent, value } = row;
  if (kind !== 'sale' && kind !== 'purchase') return row;
  const units = parseDecimal(value === '' ? '0' : value, 2);
  if (units === 0n) return { ...row, kind: sent ? 'payment' : 'transfer' };
  const dollars = {
    units,
    denom: 'usd',
    symbol: USUAL.currency.code,
    decimals: USUAL.currency.minorDigits,
    unlisted: undefined,
  };
  return sent ? { ...row, received: dollars } : { ...row, sent: dollars };
}

function rounded(coin: ImportCoin | undefined, max: number): ImportCoin | undefined {
  if (!coin || coin.decimals <= max) return coin;
  const units = halfUp(coin.units, powerOfTen(coin.decimals - max));
  return units === 0n ? undefined : { ...coin, units, decimals: max };
}
