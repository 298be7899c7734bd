import { escapeText } from '../json/exact-json.js';

/**
 * text, word and decimal are JSON strings; number and boolean are literals. A word (date, id, address) needs no
 * escaping and no check for spreadsheet formulas, which saves most of the work.
 */
export type FieldKind = 'text' | 'word' | 'decimal' | 'number' | 'boolean';

export interface Field<Row> {
  readonly name: string;
  readonly kind: FieldKind;
  /** Plain decimal, true, false or text. */
  readonly of: (row: Row) => string;
}

/** Creates a field from the row member `name`, or from a function. */
interface FieldMaker<Row> {
  (member: keyof Row & string): Field<Row>;
  (name: string, of: (row: Row) => string): Field<Row>;
}

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

/** Creates a JSON writer. Joining pieces is five times as fast as concatenation for large wallets. */
export function jsonWriter<Row>(fields: readonly Field<Row>[]): (row: Row) => string {
  // Constant pieces at even indexes, values at odd indexes.
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

/** `isOptional`: omitted if the slot is empty. */
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

/** Splits a template such as `Sent {sent}[ to {counterparty}]` at brackets and slots. */
function piecesOf(sentence: string): readonly Piece[] {
  const parts = sentence.match(/\[[^\]]*\]|[^[{]*\{\w+\}|[^[{]+/g) ?? [];
  return parts.map((part) => (part.startsWith('[') ? pieceOf(part.slice(1, -1), true) : pieceOf(part, false)));
}

/** Parsed templates, because a wallet may have tens of thousands of rows. */
const cut = new Map<string, readonly Piece[]>();

/**
 * Fills a template.
 * @param fill returns the text of a slot, or ''
 */
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
