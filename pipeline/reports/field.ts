/** The members of a published row as a list, from which both its JSON and its CSV are written, and sentences that are filled in. */
import { escapeText } from '../json/exact-json.js';

/**
 * The notation of a field: text, word and decimal are JSON strings (a decimal is a number in text, which a spreadsheet may read as
 * one), number and boolean are JSON literals. A word is a date, an id, a checked address or a name of the reviewed data: it needs no
 * escape in JSON, and no look whether a spreadsheet would run it, which is most of the work on a text.
 */
export type FieldKind = 'text' | 'word' | 'decimal' | 'number' | 'boolean';

export interface Field<Row> {
  readonly name: string;
  readonly kind: FieldKind;
  /** The value as text: plain decimals, true or false, or the text itself. */
  readonly of: (row: Row) => string;
}

/** Makes a field of the row's member of that name, or of what a function gives. */
interface FieldMaker<Row> {
  (member: keyof Row & string): Field<Row>;
  (name: string, of: (row: Row) => string): Field<Row>;
}

/** The makers of fields of one type of rows, by kind. */
export function fieldsOf<Row>(): Readonly<Record<FieldKind, FieldMaker<Row>>> {
  const maker =
    (kind: FieldKind): FieldMaker<Row> =>
    (name: string, of: (row: Row) => string = (row) => String(row[name as keyof Row])) => ({ name, kind, of });
  return {
    text: maker('text'),
    word: maker('word'),
    decimal: maker('decimal'),
    number: maker('number'),
    boolean: maker('boolean'),
  };
}

/**
 * Makes the function that writes a row as JSON text, directly: a wallet may have tens of thousands of them. The text is
 * joined rather than added up, since V8 would keep every added string as a tree of its parts until somebody reads it:
 * five times the time on a large wallet.
 */
export function jsonWriter<Row>(fields: readonly Field<Row>[]): (row: Row) => string {
  // The text cut at its values, which go to the odd places.
  const pieces: string[] = ['{'];
  const values = fields.map(({ name, kind, of }, i) => {
    const mark = kind === 'number' || kind === 'boolean' ? '' : '"';
    pieces[2 * i] += `${i === 0 ? '' : ','}"${name}":${mark}`;
    pieces.push('', mark);
    return { place: 2 * i + 1, escaped: kind === 'text', of };
  });
  pieces[pieces.length - 1] += '}';
  return (row) => {
    for (const { place, escaped, of } of values) {
      const value = of(row);
      pieces[place] = escaped ? escapeText(value) : value;
    }
    return pieces.join('');
  };
}

/** A piece of a sentence. An optional one is left out where its slot is empty. */
interface Piece {
  readonly before: string;
  readonly slot: string | undefined;
  readonly after: string;
  readonly isOptional: boolean;
}

const SLOT = /^(.*?)\{(\w+)\}(.*)$/s;

function pieceOf(text: string, isOptional: boolean): Piece {
  const [, before = text, slot, after = ''] = SLOT.exec(text) ?? [];
  return { before, slot, after, isOptional };
}

/** Cuts a sentence where something is filled in: at its brackets, and outside of them behind each slot. */
function piecesOf(sentence: string): readonly Piece[] {
  const parts = sentence.match(/\[[^\]]*\]|[^[{]*\{\w+\}|[^[{]+/g) ?? [];
  return parts.map((part) => (part.startsWith('[') ? pieceOf(part.slice(1, -1), true) : pieceOf(part, false)));
}

/** The sentences of the reviewed categories, cut. A wallet may have tens of thousands of rows. */
const cut = new Map<string, readonly Piece[]>();

/** Fills in a sentence. @param fill the text of a slot, '' where the row has none */
export function fillSentence(sentence: string, fill: (slot: string) => string): string {
  let pieces = cut.get(sentence);
  if (!pieces) {
    pieces = piecesOf(sentence);
    cut.set(sentence, pieces);
  }
  let text = '';
  for (const { before, slot, after, isOptional } of pieces) {
    const value = slot === undefined ? '' : fill(slot);
    if (value !== '' || !isOptional) text += `${before}${value}${after}`;
  }
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
