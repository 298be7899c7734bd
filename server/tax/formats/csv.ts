/** Writes CSV (RFC 4180) with a header line and CRLF (decision A4). */
import { type CastingContext, type Options, stringify } from 'csv-stringify/sync';
import type { Field } from '../../../pipeline/reports/field.js';
import type { Answer, CoverageHeader, CsvType } from '../../http/answer.js';

/** Marks a file as UTF-8. Some programs would read it in another code page. */
export const BYTE_ORDER_MARK = '\uFEFF';

export const CSV_TYPE: CsvType = 'text/csv; charset=utf-8; header=present';

/** Characters that a spreadsheet may skip before a formula, such as blanks and zero-width spaces. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * First character of a formula after NFKD normalization. This normalization converts full-width signs and separates
 * accents: ≠ becomes = with a stroke.
 */
const FORMULA = /^[=+\-@\u2212]/;

/** Positions where a new cell would start if a spreadsheet used another separator, even within quotes. */
const CELL_BEGINS = /(?<=[;\t\r\n])(?![;\t\r\n])/;

const FIRST_CONTROL = /^\p{Cc}/u;

/**
 * Quick test for texts that may need escaping: a formula sign where a cell may start, or anything but printable ASCII.
 */
const DOUBTFUL = /(?:^|;) *[=+\-@]|[^ -~]/;

const QUOTED = /[",]/;

const LINE_END = /[\r\n]/;

/**
 * Prevents formula injection by strangers, who choose monikers, denoms and memos. A leading apostrophe turns a formula
 * into text. Texts that begin with control characters get an apostrophe too, because some programs drop these
 * characters.
 */
function textCell(text: string) {
  if (!DOUBTFUL.test(text)) return text;
  const disarmed = text.split(CELL_BEGINS).map(disarm).join('');
  const value = FIRST_CONTROL.test(disarmed) ? `'${disarmed}` : disarmed;
  const needsQuotes = value !== text || LINE_END.test(text);
  // Returns options only where needed, because options for a single cell make csv-stringify ten times slower.
  return needsQuotes && !QUOTED.test(value) ? { value, quoted: true } : value;
}

const disarm = (part: string) => (isFormula(part) ? `'${part}` : part);

/** Normalizes only two characters, because long runs of accents are slow. */
const isFormula = (part: string) => FORMULA.test(part.replace(UNSEEN, '').slice(0, 2).normalize('NFKD'));

/** Escapes texts only; numbers are written unchanged. */
function optionsFor<Row>(fields: readonly Field<Row>[]): Options {
  const string = (text: string, { index }: CastingContext) => (fields[index]!.kind === 'text' ? textCell(text) : text);
  return { cast: { string }, record_delimiter: 'windows' };
}

const CHUNK_ROWS = 100;

/** Yields a hundred lines at a time, because each call of csv-stringify is costly. */
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

export const csvAnswer = <Row>(
  fields: readonly Field<Row>[],
  rows: Iterable<Row>,
  file: { readonly fileName: string; readonly coverage?: CoverageHeader; readonly parts?: number },
): Answer => ({ chunks: csvChunks(fields, rows), type: CSV_TYPE, ...file });

/**
 * Returns a file name such as `events-1a2b3c4d-2026-01-01-2026-12-31.csv`.
 * @param span first and last UTC day, or one day
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
