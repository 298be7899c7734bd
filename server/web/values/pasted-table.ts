/** Parses a table that was copied from a spreadsheet or CSV file. */
import { dsvFormat } from 'd3-dsv';
import { isDay, MONTHS } from './dates.js';
import { typedDecimal } from './decimal.js';

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
 * Parses lines with quantity, day and cost, separated by tabs, semicolons or commas. A first line with headings allows
 * another order of columns.
 */
export function pastedLots(text: string, order?: DayOrder): PastedLots {
  const separator = ['\t', ';'].find((one) => text.includes(one)) ?? ',';
  const table = dsvFormat(separator)
    .parseRows(text.trim())
    .map((cells) => cells.map((cell) => cell.trim()));
  const columns = columnsOf(table[0] ?? []);
  const lines = table
    .map((cells) => columns.map((column) => cells[column] ?? ''))
    .filter(([quantity = '']) => /\d/.test(quantity));
  // One amount with a decimal comma, such as 30,5, shows that the whole table uses decimal commas.
  const hasComma = lines.some(([quantity = '', , cost = '']) =>
    [quantity, cost].some((cell) => DECIMAL_COMMA.test(plain(cell))),
  );
  const amount = (cell: string) => (hasComma ? plain(cell).replace(/[.\s]/g, '').replace(',', '.') : plain(cell));
  const known = orderOf(lines.map(([, day = '']) => day)) ?? order;
  return {
    lines: lines.map(([quantity = '', day = '', cost = '']) => ({
      quantity: amount(quantity),
      day: isoDay(day, known),
      cost: amount(cost),
    })),
    ambiguous: known ? '' : (lines.find(([, day = '']) => NUMERIC.test(day) && !isDay(isoDay(day)))?.[1] ?? ''),
  };
}

const HEADINGS = [
  /amount|quantity|qty|units|coins/i,
  /date|day|time|acquired|bought/i,
  /cost|basis|total|paid|usd|spent/i,
];

/** Returns the column numbers of quantity, day and cost, if the headings name all three. */
function columnsOf(cells: readonly string[]): number[] {
  const found = HEADINGS.map((heading) => cells.findIndex((cell) => heading.test(cell)));
  const isHead = !cells.some((cell) => /\d/.test(cell)) && new Set(found).size === HEADINGS.length;
  return isHead && !found.includes(-1) ? found : [0, 1, 2];
}

/** Removes currencies, as in '$18,500.00' or '1,000 ATOM'. */
const plain = (cell: string): string => cell.replace(/US\$|\$|\b[a-z]{2,5}\b/gi, '').trim();

/**
 * Matches numbers with a decimal comma. Before exactly three digits, a comma counts as a thousands separator, except
 * after a single 0.
 */
const DECIMAL_COMMA = /^(?:[\d.\s]*,(?:\d{1,2}|\d{4,})|0,\d+)$/;

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
export function faultsOf({ quantity, day, cost }: LotLine, indexStart: string) {
  const isAmount = (text: string) => typedDecimal(text) !== undefined;
  return {
    quantity: isAmount(quantity) && /[1-9]/.test(quantity) ? undefined : 'An amount above zero',
    day: !isDay(day) ? 'A day, YYYY-MM-DD' : day >= indexStart ? `Before ${indexStart}` : undefined,
    cost: isAmount(cost) ? undefined : 'An amount in US dollars',
  };
}
