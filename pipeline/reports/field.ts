import { escapeText } from '../base/json/exact-json.js';

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

/** Joins pieces, because that is five times as fast as concatenation for large wallets. */
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
