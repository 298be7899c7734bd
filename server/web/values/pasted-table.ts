/** Parses a table that was copied from a spreadsheet or CSV file. */
import { dsvFormat } from 'd3-dsv';
import { isDay } from './dates.js';
import { typedDecimal } from './decimal.js';

/** A line of opening lots (coins bought before the index began), as the user typed it. */
export interface LotLine {
  readonly quantity: string;
  readonly day: string;
  readonly cost: string;
}

/** Each line has quantity, day and cost, separated by tabs, semicolons or commas. Skips a header line. */
export function pastedLots(text: string): LotLine[] {
  const separator = ['\t', ';'].find((one) => text.includes(one)) ?? ',';
  const lines = dsvFormat(separator)
    .parseRows(text.trim())
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter((cells) => cells.some(Boolean) && /\d/.test(cells[0] ?? ''));
  // A single amount such as 30,5 shows that the whole table uses decimal commas.
  const hasComma = lines.some(([quantity = '', , cost = '']) =>
    [quantity, cost].some((cell) => DECIMAL_COMMA.test(cell)),
  );
  const amount = (cell: string) => (hasComma ? cell.replace(/[.\s]/g, '').replace(',', '.') : cell);
  return lines.map(([quantity = '', day = '', cost = '']) => ({
    quantity: amount(quantity),
    day: isoDay(day),
    cost: amount(cost),
  }));
}

/**
 * Matches numbers with a decimal comma. A comma before three digits may separate thousands, except after a single 0.
 */
const DECIMAL_COMMA = /^(?:[\d.\s]*,(?:\d{1,2}|\d{4,})|0,\d+)$/;

/** Converts '2024/5/3' and '2024-5-3' to '2024-05-03'. Other formats are ambiguous and stay unchanged. */
function isoDay(text: string): string {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/.exec(text) ?? [];
  return year ? `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}` : text;
}

/** Returns an error for each cell; undefined if the cell is valid. */
export function faultsOf({ quantity, day, cost }: LotLine, indexStart: string) {
  const isAmount = (text: string) => typedDecimal(text) !== undefined;
  return {
    quantity: isAmount(quantity) && /[1-9]/.test(quantity) ? undefined : 'An amount above zero',
    day: !isDay(day) ? 'A day, YYYY-MM-DD' : day >= indexStart ? `Before ${indexStart}` : undefined,
    cost: isAmount(cost) ? undefined : 'An amount in US dollars',
  };
}
