/** CSV by csv-stringify: RFC 4180 with a header line, CRLF and quotes where needed (decision A4). */
import { type CastingContext, type Options, stringify } from 'csv-stringify/sync';
import type { Field } from '../../pipeline/reports/field.js';
import type { Answer, CoverageHeader, CsvType } from '../endpoint.js';

export const CSV_TYPE: CsvType = 'text/csv; charset=utf-8; header=present';

/** Characters that are not seen before a formula: blanks, controls, and what is ignorable, as zero-width characters are. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * The beginning of a formula. It is looked for in compatibility form, where full-width and small signs are the usual ones, and decomposed
 * (NFKD): composed, an equals sign with a combining stroke would be another one.
 */
const FORMULA = /^[=+\-@\u2212]/;

/** Places where a spreadsheet that is told of other separators begins a cell, quotes or not. */
const CELL_BEGINS = /(?<=[;\t\r\n])(?![;\t\r\n])/;

const FIRST_CONTROL = /^\p{Cc}/u;

/** Anything in a text that may need another form: a formula sign where a cell may begin, or a character beyond printable ASCII. */
const DOUBTFUL = /(?:^|;) *[=+\-@]|[^ -~]/;

/** Texts with one of these characters are quoted by csv-stringify, which does so for a line end only where it is that of its records. */
const QUOTED = /[",]/;

const LINE_END = /[\r\n]/;

/**
 * Writes a text cell. Monikers, denoms and memos come from strangers, so what a spreadsheet would run gets an apostrophe before it, and
 * the cell quotes; also a text that begins with a control character, which some drop and some cut at.
 */
function textCell(text: string) {
  if (!DOUBTFUL.test(text)) return text;
  const disarmed = text.split(CELL_BEGINS).map(disarm).join('');
  const value = FIRST_CONTROL.test(disarmed) ? `'${disarmed}` : disarmed;
  const needsQuotes = value !== text || LINE_END.test(text);
  // Options of a cell of its own cost csv-stringify ten times the cell.
  return needsQuotes && !QUOTED.test(value) ? { value, quoted: true } : value;
}

/** Writes the cells of a column. The lines of an entry, and the entries of a transaction, have the same memo. */
function textColumn(): typeof textCell {
  let [last, cell] = ['', ''];
  return (text) => {
    if (text === last) return cell;
    const written = textCell(text);
    if (typeof written === 'string') [last, cell] = [text, written]; // csv-stringify takes apart what has options
    return written;
  };
}

const disarm = (part: string) => (isFormula(part) ? `'${part}` : part);

/** Tells whether the first character that is seen begins a formula. It alone is normalized: long runs of accents take long to order. */
const isFormula = (part: string) => FORMULA.test(part.replace(UNSEEN, '').slice(0, 2).normalize('NFKD'));

/** Options of csv-stringify for some columns. Numbers are written as they are, and come as text where they are exact decimals. */
function optionsFor<Row>(fields: readonly Field<Row>[]): Options {
  const columns = fields.map(({ kind }) => (kind === 'text' ? textColumn() : undefined));
  const string = (text: string, { index }: CastingContext) => columns[index]?.(text) ?? text;
  return { cast: { string }, record_delimiter: 'windows' };
}

/** Lines that are written in a millisecond or two. */
const CHUNK_ROWS = 100;

/** The whole table with its header line, a chunk for every hundred lines, so that a long table is written as it is made. */
export function* csvChunks<Row>(
  fields: readonly Field<Row>[],
  batches: Iterable<readonly Row[]>,
): Generator<string, void, undefined> {
  const options = optionsFor(fields);
  let lines = [fields.map(({ name }) => name)];
  for (const batch of batches) {
    for (const row of batch) {
      lines.push(fields.map(({ of }) => of(row)));
      if (lines.length < CHUNK_ROWS) continue;
      yield stringify(lines, options);
      lines = [];
    }
    yield ''; // the reader gives others their turn here, too
  }
  if (lines.length > 0) yield stringify(lines, options);
}

/** The table as an answer. */
export const csvAnswer = <Row>(
  fields: readonly Field<Row>[],
  batches: Iterable<readonly Row[]>,
  file: { readonly fileName: string; readonly coverage?: CoverageHeader },
): Answer => ({ chunks: csvChunks(fields, batches), type: CSV_TYPE, ...file });

/**
 * A file name that tells what is inside: `events-<first eight characters of the address>-<start>-<end>.csv`.
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
