/** Writes CSV (RFC 4180) with a header line and CRLF (decision A4). */
import { type CastingContext, type Options, stringify } from 'csv-stringify/sync';
import type { Field } from '../../../pipeline/books/reports/field.js';
import type { Answer, CoverageHeader, CsvType } from '../../http/answer.js';

/** Marks a file as UTF-8. Without the mark, some programs would assume another encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

export const CSV_TYPE: CsvType = 'text/csv; charset=utf-8; header=present';

/** Matches characters that a spreadsheet may skip before a formula, such as blanks and zero-width spaces. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * Matches the first character of a formula in a text after NFKD normalization. Normalization converts full-width signs
 * and separates combined characters: ≠ becomes = with a stroke.
 */
const FORMULA = /^[=+\-@\u2212]/;

/** Matches positions where a new cell would start if a spreadsheet used another separator, even within quotes. */
const CELL_BEGINS = /(?<=[;\t\r\n])(?![;\t\r\n])/;

const FIRST_CONTROL = /^\p{Cc}/u;

/**
 * Quick test for texts that may need escaping: a formula character where a cell may start, or a character other than
 * printable ASCII.
 */
const DOUBTFUL = /(?:^|;) *[=+\-@]|[^ -~]/;

const QUOTED = /[",]/;

const LINE_END = /[\r\n]/;

/**
 * Escapes formulas, because strangers choose monikers, denoms and memos and could inject formulas. A leading apostrophe
 * turns a formula into text. Texts that begin with control characters also get an apostrophe, because some programs
 * drop these characters.
 */
function textCell(text: string) {
  if (!DOUBTFUL.test(text)) return text;
  const disarmed = text.split(CELL_BEGINS).map(disarm).join('');
  const value = FIRST_CONTROL.test(disarmed) ? `'${disarmed}` : disarmed;
  const needsQuotes = value !== text || LINE_END.test(text);
  // Options are returned only where needed. Options for a single cell make csv-stringify ten times slower.
  return needsQuotes && !QUOTED.test(value) ? { value, quoted: true } : value;
}

const disarm = (part: string) => (isFormula(part) ? `'${part}` : part);

/**
 * Returns true if a part begins with a formula. Normalizes only two characters, because normalizing long runs of
 * accents is slow.
 */
const isFormula = (part: string) => FORMULA.test(part.replace(UNSEEN, '').slice(0, 2).normalize('NFKD'));

/** Returns options for csv-stringify that escape texts and leave numbers unchanged. */
function optionsFor<Row>(fields: readonly Field<Row>[]): Options {
  const string = (text: string, { index }: CastingContext) => (fields[index]!.kind === 'text' ? textCell(text) : text);
  return { cast: { string }, record_delimiter: 'windows' };
}

const CHUNK_ROWS = 100;

/** Yields the CSV in chunks of a hundred lines, because each call of csv-stringify is expensive. */
export function* csvChunks<Row>(
  fields: readonly Field<Row>[],
  rows: Iterable<Row>,
): Generator<string, void, undefined> {
  const options = optionsFor(fields);
  let lines = [fields.map(({ name }) => name)];
  for (const row of rows) {
    lines.push(fields.map(({ of }) => of(row)));
    if (lines.length < CHUNK_ROWS) continue;
    yield stringify(lines, options);
    lines = [];
  }
  if (lines.length > 0) yield stringify(lines, options);
}

/** Adds a byte order mark, by which Excel recognizes UTF-8, unless the file already begins with one. */
export function* withMark(chunks: Iterable<string>): Generator<string, void, undefined> {
  let isFirst = true;
  for (const chunk of chunks) {
    yield isFirst && !chunk.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + chunk : chunk;
    isFirst = false;
  }
}

export const csvAnswer = <Row>(
  fields: readonly Field<Row>[],
  rows: Iterable<Row>,
  file: { readonly fileName: string; readonly coverage?: CoverageHeader },
): Answer => ({ chunks: csvChunks(fields, rows), type: CSV_TYPE, ...file });

/**
 * Returns a file name such as `events-1a2b3c4d-2026-01-01-2026-12-31.csv`.
 * @param span first and last UTC day, or a single day
 */
export function fileNameOf(
  report: string,
  addresses: readonly string[],
  span: readonly string[],
  extension = 'csv',
): string {
  const [first, ...more] = addresses.map((address) => address.slice(address.lastIndexOf('1') + 1).slice(0, 8));
  const others = more.length > 0 ? [`and-${more.length}-more`] : [];
  return `${[report, first, ...others, ...span].join('-')}.${extension}`;
}
