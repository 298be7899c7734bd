/** The members of a published row as a list, from which both its JSON and its CSV are written. */
import { escapeText } from '../json/exact-json.js';

/**
 * The notation of a field: text and decimal are JSON strings (a decimal is a number in text, which a spreadsheet may read as
 * one), number and boolean are JSON literals.
 */
export type FieldKind = 'text' | 'decimal' | 'number' | 'boolean';

export interface Field<Row> {
  readonly name: string;
  readonly kind: FieldKind;
  /** The value as text: plain decimals, true or false, or the text itself. */
  readonly of: (row: Row) => string;
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
    const mark = kind === 'text' || kind === 'decimal' ? '"' : '';
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
