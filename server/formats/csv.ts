/** CSV by csv-stringify: RFC 4180 with a header line, CRLF and quotes where needed (decision A4). */
import { type CastingContext, type Options, stringify } from 'csv-stringify/sync';
import type { Field } from '../../pipeline/reports/field.js';
import type { CsvType } from '../endpoint.js';

export const CSV_TYPE: CsvType = 'text/csv; charset=utf-8; header=present';

/**
 * Formulas that `escape_formulas` overlooks, which knows the usual and the full-width signs as the first character only: those
 * behind blanks or invisible characters, the small forms, the minus sign proper, and any text that begins with a control character.
 */
const OVERLOOKED_FORMULA = /^[\s\p{Cc}\p{Cf}]+[=+\-@＝＋－＠]|^[\s\p{Cc}\p{Cf}]*[﹦﹢﹣﹫\u2212]|^\p{Cc}/u;

/** A formula behind a semicolon or tab, at which a spreadsheet may also cut a line unless the cell is quoted. */
const FORMULA_AFTER_SEPARATOR = /[;\t]\s*[=+\-@＝＋－＠]/;

/** Writes a text cell with the apostrophe and the quotes that `escape_formulas` alone would not give it. */
function textCell(text: string) {
  const value = OVERLOOKED_FORMULA.test(text) ? `'${text}` : text;
  return FORMULA_AFTER_SEPARATOR.test(text) ? { value, quoted: true } : value;
}

/** Writes a number cell as it is: `escape_formulas` would take a negative one for a formula, since exact decimals arrive as text. */
const numberCell = (text: string) => (text.startsWith('-') ? { value: text, escape_formulas: false } : text);

/**
 * Options of csv-stringify for some columns. Spreadsheets run a cell that begins like a formula, and monikers, denoms and memos come
 * from strangers, so such a text gets an apostrophe.
 */
function optionsFor<Row>(fields: readonly Field<Row>[]): Options {
  const string = (text: string, { index }: CastingContext) =>
    fields[index]!.kind === 'text' ? textCell(text) : numberCell(text);
  return { cast: { string }, escape_formulas: true, record_delimiter: 'windows', quote_record_delimiter: true };
}

/** Rows that are written in a millisecond or two. */
const CHUNK_ROWS = 100;

/** The whole table: the header line, then a chunk for every hundred rows, so that a long table is written as it is made. */
export function* csvChunks<Row>(
  fields: readonly Field<Row>[],
  batches: Iterable<readonly Row[]>,
): Generator<string, void, undefined> {
  const options = optionsFor(fields);
  yield stringify([fields.map(({ name }) => name)], options);
  for (const batch of batches) {
    if (batch.length === 0) yield ''; // the reader gives others their turn here, too
    for (let i = 0; i < batch.length; i += CHUNK_ROWS) {
      const rows = batch.slice(i, i + CHUNK_ROWS);
      yield stringify(
        rows.map((row) => fields.map(({ of }) => of(row))),
        options,
      );
    }
  }
}

/**
 * A file name that tells what is inside: `events-<first eight characters of the address>-<start>-<end>.csv`.
 * @param span first and last UTC day, or one day
 */
export function csvFileName(report: string, addresses: readonly string[], span: readonly string[]): string {
  const [first, ...more] = addresses.map((address) => address.slice(address.lastIndexOf('1') + 1).slice(0, 8));
  const others = more.length > 0 ? [`and-${more.length}-more`] : [];
  return `${[report, first, ...others, ...span].join('-')}.csv`;
}
