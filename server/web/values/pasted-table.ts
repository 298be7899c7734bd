/** Parses a table that was copied from a spreadsheet or CSV file. */

import { dsvFormat } from 'd3-dsv';
import type { Currency } from '../../../pipeline/books/currencies/currency.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import { isDay, MONTHS } from './dates.js';
import { ambiguityFault, forInput, typedDecimal, usesComma } from './decimal.js';

/** One opening lot (coins bought before the index began), as the user typed it. */
export interface LotLine {
  readonly quantity: string;
  readonly day: string;
  readonly cost: string;
}

/** Order of the parts of a date such as 3/4/2021. */
export type DayOrder = 'month-first' | 'day-first';

interface PastedLots {
  readonly lines: readonly LotLine[];
  /**
   * A date that can be read in both orders, if the order is not given and follows from no other date; '' if there is
   * none.
   */
  readonly ambiguous: string;
}

/**
 * Parses lines with quantity, day and cost in a currency, separated by tabs, semicolons or commas. A first line with
 * headings allows another order of columns. Amounts of other assets or currencies stay as they are, and are invalid.
 *
 * @param asset symbol of the coins
 */
export function pastedLots(text: string, asset: string, order?: DayOrder, money = USUAL.currency): PastedLots {
  const { head, rest } = tableOf(text);
  const isHead = !head.some((cell) => /\d/.test(cell));
  const columns = isHead ? columnsOf(head, PURCHASES) : PURCHASES.inOrder;
  const named = isHead ? (NAMED_CURRENCY.exec(head[columns[2]!] ?? '')?.[0] ?? '') : '';
  const other = isNameOf(money)(named) ? '' : named;
  const assetColumn = isHead ? head.findIndex((cell) => /^(asset|coin|symbol|ticker)$/i.test(cell)) : -1;
  const isOfAsset = (cells: readonly string[]) =>
    ['', asset.toLowerCase()].includes((cells[assetColumn] ?? '').toLowerCase());
  const lines = (isHead ? rest : [head, ...rest])
    .filter(isOfAsset)
    .map((cells) => columns.map((column) => cells[column] ?? ''))
    .filter(([quantity = '']) => /\d/.test(quantity))
    .map(([quantity = '', day = '', cost = '']) => ({
      quantity: withoutWord(quantity, asset),
      day,
      cost: `${withoutCurrency(cost, money)} ${other}`.trim(),
    }));
  const amount = readerOf(lines.flatMap(({ quantity, cost }) => [quantity, cost]));
  const known = orderOf(lines.map(({ day }) => day)) ?? order;
  return {
    lines: lines.map(({ quantity, day, cost }) => ({
      quantity: amount(quantity),
      day: isoDay(day, known),
      cost: amount(cost),
    })),
    ambiguous: ambiguousOf(
      lines.map(({ day }) => day),
      known,
    ),
  };
}

/** One sale of a broker's report, as its table has it. */
export interface SaleLine {
  /** Number of the line in the table, from 1. */
  readonly number: number;
  readonly asset: string;
  readonly quantity: string;
  readonly day: string;
  readonly proceeds: string;
  /** True if the line has more cells than columns, as after a comma in an amount without quotes. */
  readonly isTooLong: boolean;
}

interface PastedSales {
  readonly lines: readonly SaleLine[];
  /** As in PastedLots. */
  readonly ambiguous: string;
}

/**
 * Parses lines with asset, quantity, day of the sale and proceeds, such as those of Form 1099-DA. A first line with
 * headings allows another order of columns. Titles above it, which have one cell, are left out.
 */
export function pastedSales(text: string, order?: DayOrder): PastedSales {
  const table = tableOf(text);
  const all = [table.head, ...table.rest].map((row, i) => ({ row, number: i + 1 }));
  const rows = all.slice(
    Math.max(
      0,
      all.findIndex(({ row }) => row.filter((cell) => cell !== '').length > 1),
    ),
  );
  const head = rows[0]!.row;
  const isHead = !head.some((cell) => /\d/.test(cell.replace(BOX, '')));
  const columns = isHead ? columnsOf(head, SALES) : SALES.inOrder;
  const width = isHead ? head.length : columns.length;
  const isInOther = isHead && NAMED_CURRENCY.test(head[columns[3]!] ?? '');
  const lines = (isHead ? rows.slice(1) : rows)
    .map(({ row, number }) => {
      const [asset = '', quantity = '', day = '', proceeds = ''] = columns.map((column) => row[column] ?? '');
      const isTooLong = row.slice(width).some((cell) => cell !== '');
      return { number, asset, quantity: withoutWords(quantity), day, proceeds: proceedsIn(proceeds), isTooLong };
    })
    .filter(({ quantity, day }) => /\d/.test(quantity + day));
  const amount = readerOf(lines.flatMap(({ quantity, proceeds }) => [quantity, proceeds]));
  const days = lines.map(({ day }) => day);
  const known = orderOf(days) ?? order;
  return {
    lines: lines.map((line) => ({
      ...{ ...line, quantity: amount(line.quantity), day: isoDay(line.day, known) },
      proceeds: isInOther && line.proceeds !== '' ? `${line.proceeds} in ${head[columns[3]!]}` : amount(line.proceeds),
    })),
    ambiguous: ambiguousOf(days, known),
  };
}

/** The number of a box in a heading of Form 1099-DA, such as 'Box 1f' or '(1f)'. */
const BOX = /\b(?:box\s*)?1[a-i]\b/i;

/** Removes words beside a number, as in '1.5 ATOM'. Letters at a digit stay, as in '5k' and '1E3'. */
const withoutWords = (cell: string): string => cell.replace(/(?<!\S)[a-z]{2,}(?!\S)/gi, '').trim();

/** Returns an amount without the sign or code of the US dollar; '' if the cell has no digit, as in 'N/A'. */
const proceedsIn = (cell: string): string => (/\d/.test(cell) ? withoutCurrency(cell, USUAL.currency) : '');

/** Splits a table into its first line and the other lines. Semicolons of a few notes separate no cells. */
function tableOf(text: string) {
  const all = text.trim().split(/[\r\n]+/);
  const separatesBySemicolons = all.filter((line) => line.includes(';')).length * 2 > all.length;
  const separator = text.includes('\t') ? '\t' : separatesBySemicolons ? ';' : ',';
  const [head = [], ...rest] = dsvFormat(separator)
    .parseRows(text.trim())
    .map((cells) => cells.map((cell) => cell.trim()));
  return { head, rest };
}

/** Returns a date that can be read in both orders; '' if there is none. */
const ambiguousOf = (days: readonly string[], known: DayOrder | undefined): string =>
  known ? '' : (days.find((day) => NUMERIC.test(day) && !isDay(isoDay(day))) ?? '');

interface Columns {
  /** Column numbers if no headings say otherwise. */
  readonly inOrder: readonly number[];
  /** Headings of each column, the best ones first. */
  readonly headings: readonly (readonly RegExp[])[];
  /** Headings that contain such words but name another column. */
  readonly others: readonly RegExp[];
}

/** Quantity, day and cost of a purchase. Other columns are for example 'Amount (USD)', 'Date sold', 'USD Spot Price'. */
const PURCHASES: Columns = {
  inOrder: [0, 1, 2],
  headings: [
    [/quantity|qty|units|coins|menge|anzahl|quantit|cantidad/i, /amount/i],
    [/acquired|bought|purchase/i, /date|day|time|datum|fecha/i],
    [/cost|basis|kosten|co[uû]t/i, /\btotal/i, /paid|spent|total/i, /usd/i],
  ],
  others: [
    /usd|\$|cost|paid|spent|price|value|fee/i,
    /sold|amount|quantity|cost|price/i,
    /^(?!.*total).*(?:price|preis)|\bper\b|each|currency|fees?$/i,
  ],
};

/** Asset, quantity, day and proceeds of a sale. Form 1099-DA has boxes 1b, 1c, 1e and 1f for them. */
const SALES: Columns = {
  inOrder: [0, 1, 2, 3],
  headings: [
    [/\b1b\b/i, /asset|symbol|ticker|\bcoin\b/i, /name|description|property|currency/i],
    [/\b1c\b/i, /units|quantity|qty/i, /amount|number/i],
    [/\b1e\b/i, /(?:sold|sale|dispos)/i, /date|day|time/i],
    [/\b1f\b/i, /proceeds/i, /gross|total|usd|\$/i],
  ],
  others: [
    /date|code|usd|\$/i,
    /proceeds|cost|basis|usd|\$|price|value|fee/i,
    /units|quantity|amount|proceeds|acquired|bought|price/i,
    /cost|basis|price|\bper\b|date|fee/i,
  ],
};

const NAMED_CURRENCY = /[€£¥]|\b(?:EUR|GBP|CHF|JPY|CAD|AUD|NZD|SGD|HKD)\b/;

const isNameOf =
  ({ code, symbol }: Currency) =>
  (name: string) =>
    name === code || name === symbol;

/** Returns the column numbers by their headings. -1: no column. */
function columnsOf(head: readonly string[], { inOrder, headings: wanted, others }: Columns): readonly number[] {
  const isColumn = (i: number) => (cell: string) => !others[i]!.test(cell);
  const found = wanted.map((headings, i) => {
    const columns = headings.map((heading) => head.findIndex((cell) => heading.test(cell) && isColumn(i)(cell)));
    return columns.find((column) => column !== -1) ?? -1;
  });
  const known = found.filter((column) => column !== -1);
  if (known.length === 0 || new Set(known).size < known.length) return inOrder;
  // If one column is missing, it is the only one with an unknown heading.
  const isOneMissing = known.length === inOrder.length - 1 && head.length === inOrder.length;
  const last = isOneMissing ? inOrder.find((column) => !known.includes(column))! : -1;
  return found.map((column, i) => (column === -1 && last !== -1 && isColumn(i)(head[last]!) ? last : column));
}

/** Removes the sign or code of the expected currency. */
const withoutCurrency = (cell: string, { code, symbol }: Currency): string =>
  withoutWord(
    code === USUAL.currency.code ? cell.replace(/(?:\bUS)?\$\s*/i, '') : cell.replace(symbol, ' ').trim(),
    code,
  );

/** Removes a word, as in '1,000 ATOM'. */
const withoutWord = (cell: string, word: string): string =>
  cell
    .split(/\s+/)
    .filter((one) => one.toLowerCase() !== word.toLowerCase())
    .join(' ');

/**
 * Matches numbers with a decimal comma. Before exactly three digits, a comma counts as a thousands separator, except
 * after a single 0.
 */
const DECIMAL_COMMA = /^(?:[\d.\s]*,(?:\d{1,2}|\d{4,})|0,\d+)$/;

/** Matches numbers with a decimal point. Before exactly three digits, a point may separate thousands. */
const DECIMAL_POINT = /^(?:[\d,\s]*\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{1,3}(?:,\d{3})+\.\d+)$/;

/**
 * Returns a function that reads amounts for inputs. One amount with a decimal comma, such as 30,5, shows that the whole
 * table uses decimal commas, and one with a point that it uses points. If a table has both or neither, each amount stays
 * as it is.
 */
function readerOf(cells: readonly string[]): (cell: string) => string {
  const [hasComma, hasPoint] = [DECIMAL_COMMA, DECIMAL_POINT].map((mark) => cells.some((cell) => mark.test(cell)));
  if (hasComma && !hasPoint) return (cell) => forInput(cell.replace(/[.\s]/g, '').replace(',', '.'));
  if (hasPoint && !hasComma && usesComma) return (cell) => forInput(cell.replace(/,/g, ''));
  return (cell) => cell;
}

/** Matches '3/15/2021' and '15-3-21', perhaps followed by a time. */
const NUMERIC = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})(?!\d)/;
const GERMAN = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?!\d)/;
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const MONTH_NAMED = /^([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/i;
const DAY_NAMED = /^(\d{1,2})\.?[\s-]([a-z]{3})[a-z]*\.?,?[\s-](\d{4})/i;

/** Returns the order of day and month for a column of dates. A part above 12 in any date proves the order. */
function orderOf(days: readonly string[]): DayOrder | undefined {
  const parts = days.map((day) => NUMERIC.exec(day) ?? []);
  if (parts.some(([, , second = '0']) => Number(second) > 12)) return 'month-first';
  return parts.some(([, first = '0']) => Number(first) > 12) ? 'day-first' : undefined;
}

/** Converts a date to YYYY-MM-DD. Returns it unchanged if it is ambiguous or not a date. */
export function isoDay(text: string, order: DayOrder | undefined = orderOf([text])): string {
  const day = text.trim();
  const iso = ISO.exec(day);
  if (iso) return dayFrom(iso[1]!, iso[2]!, iso[3]!);
  const named = MONTH_NAMED.exec(day);
  if (named) return dayFrom(named[3]!, monthOf(named[1]!), named[2]!);
  const other = DAY_NAMED.exec(day);
  if (other) return dayFrom(other[3]!, monthOf(other[2]!), other[1]!);
  const german = GERMAN.exec(day);
  if (german) return dayFrom(german[3]!, german[2]!, german[1]!);
  const [, first, second, year] = NUMERIC.exec(day) ?? [];
  if (!year || (order === undefined && first !== second)) return text;
  return order === 'day-first' ? dayFrom(year, second!, first!) : dayFrom(year, first!, second!);
}

const dayFrom = (year: string, month: string, day: string): string =>
  `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

const monthOf = (name: string): string =>
  String(MONTHS.findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1);

/** Returns the error of each cell; a member is undefined if its cell is valid. */
export function faultsOf({ quantity, day, cost }: LotLine, indexStart: string, { code, words } = USUAL.currency) {
  const isAmount = (text: string) => typedDecimal(text) !== undefined;
  const isInDollars = code !== USUAL.currency.code && cost.includes(USUAL.currency.symbol);
  return {
    quantity:
      isAmount(quantity) && /[1-9]/.test(quantity) ? undefined : (ambiguityFault(quantity) ?? 'An amount above zero'),
    day: !isDay(day) ? 'A day, YYYY-MM-DD' : day >= indexStart ? `Before ${indexStart}` : undefined,
    cost: isAmount(cost) && !isInDollars ? undefined : (ambiguityFault(cost) ?? `An amount in ${words}`),
  };
}
