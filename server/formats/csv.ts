/** CSV after RFC 4180: header, CRLF, quotes where needed (decision A4). */
import type { Field } from '../../pipeline/reports/field.js';
import type { CsvType } from '../endpoint.js';

export const CSV_TYPE: CsvType = 'text/csv; charset=utf-8; header=present';

const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets run a cell that begins so as a formula, and memos and details come from strangers. */
const FORMULA = /^[=+\-@\t\r]/;

const quoted = (text: string) => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The first line: the members' names, as in JSON. */
export function csvHeader<Row>(fields: readonly Field<Row>[]): string {
  return `${fields.map(({ name }) => quoted(name)).join(',')}\r\n`;
}

/** A row as a line. Numbers are never changed, also negative ones. */
export function csvLine<Row>(fields: readonly Field<Row>[], row: Row): string {
  const cells = fields.map(({ kind, of }) => {
    const text = of(row);
    return kind === 'text' ? quoted(FORMULA.test(text) ? `'${text}` : text) : text;
  });
  return `${cells.join(',')}\r\n`;
}

/**
 * A file name that tells what is inside: `events-<first eight characters of the address>-<start>-<end>.csv`.
 * @param span UTC days, or one
 */
export function csvFileName(report: string, addresses: readonly string[], span: readonly string[]): string {
  const [first, ...more] = addresses.map((address) => address.slice(address.lastIndexOf('1') + 1).slice(0, 8));
  const others = more.length > 0 ? [`and-${more.length}-more`] : [];
  return `${[report, first, ...others, ...span].join('-')}.csv`;
}

/** The whole table, batch by batch. */
export function* csvChunks<Row>(
  fields: readonly Field<Row>[],
  batches: Iterable<readonly Row[]>,
): Generator<string, void, undefined> {
  yield csvHeader(fields);
  for (const batch of batches) yield batch.map((row) => csvLine(fields, row)).join('');
}
