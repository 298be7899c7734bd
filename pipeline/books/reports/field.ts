import { escapeText } from '../../base/json/exact-json.js';

/**
 * How a field is written: `text`, `word` and `decimal` as JSON strings; `number` and `boolean` as JSON literals. A
 * `word`, such as a date or an address, skips escaping and the check for spreadsheet formulas.
 */
export type FieldKind = 'text' | 'word' | 'decimal' | 'number' | 'boolean';

export interface Field<Row> {
  readonly name: string;
  readonly kind: FieldKind;
  readonly of: (row: Row) => string;
}

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

/** Returns a function that writes a row as JSON. Joining an array is five times as fast as concatenating strings. */
export function jsonWriter<Row>(fields: readonly Field<Row>[]): (row: Row) => string {
  // Even indexes contain constant JSON text, odd indexes the values of the current row.
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
