/** Writes CSV with csv-stringify: RFC 4180 with a header line, CRLF, and quotes where needed (decision A4). */
import { type CastingContext, type Options, stringify } from 'csv-stringify/sync';
import type { Field } from '../../../pipeline/reports/field.js';
import type { Answer, CoverageHeader, CsvType } from '../../http/answer.js';

export const CSV_TYPE: CsvType = 'text/csv; charset=utf-8; header=present';

/** Invisible characters that may precede a formula: blanks, controls, and ignorable ones such as zero-width spaces. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * Start of a formula, after NFKD. It maps full-width and small signs to the usual ones, and separates combining marks:
 * composed, an equals sign with a stroke (≠) would be another character.
 */
const FORMULA = /^[=+\-@\u2212]/;

/** Positions where a spreadsheet with another separator starts a cell, even within quotes. */
const CELL_BEGINS = /(?<=[;\t\r\n])(?![;\t\r\n])/;

const FIRST_CONTROL = /^\p{Cc}/u;

/** Text that may need escaping: a formula sign at a possible cell start, or a character outside printable ASCII. */
const DOUBTFUL = /(?:^|;) *[=+\-@]|[^ -~]/;

/** csv-stringify quotes these itself; it quotes a line end only if it equals the record delimiter. */
const QUOTED = /[",]/;

const LINE_END = /[\r\n]/;

/**
 * Escapes a text cell against formula injection, because monikers, denoms and memos come from strangers. A formula gets
 * a leading apostrophe and quotes; so does a leading control character, which some programs drop or cut at.
 */
function textCell(text: string) {
  if (!DOUBTFUL.test(text)) return text;
  const disarmed = text.split(CELL_BEGINS).map(disarm).join('');
  const value = FIRST_CONTROL.test(disarmed) ? `'${disarmed}` : disarmed;
  const needsQuotes = value !== text || LINE_END.test(text);
  // Per-cell options make csv-stringify ten times slower.
  return needsQuotes && !QUOTED.test(value) ? { value, quoted: true } : value;
}

const disarm = (part: string) => (isFormula(part) ? `'${part}` : part);

/**
 * Returns whether the first visible character starts a formula. Only this character is normalized, because long runs of
 * accents are slow.
 */
const isFormula = (part: string) => FORMULA.test(part.replace(UNSEEN, '').slice(0, 2).normalize('NFKD'));

/** Builds the csv-stringify options. Numbers and exact decimals are written unchanged. */
function optionsFor<Row>(fields: readonly Field<Row>[]): Options {
  const string = (text: string, { index }: CastingContext) => (fields[index]!.kind === 'text' ? textCell(text) : text);
  return { cast: { string }, record_delimiter: 'windows' };
}

const CHUNK_ROWS = 100;

/** Yields the table in chunks of a hundred lines: csv-stringify has a cost for each call. */
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
  file: { readonly fileName: string; readonly coverage?: CoverageHeader },
): Answer => ({ chunks: csvChunks(fields, rows), type: CSV_TYPE, ...file });

/**
 * Builds a file name: `events-<first eight characters of the address>-<start>-<end>.csv`.
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
