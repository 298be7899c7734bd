/**
 * JSON with exact numbers: V8 of Node 20 cannot write a number it does not hold as a double, and money above 2^53 base
 * units would lose digits. A number that must stay exact travels as ExactNumber and is written digit by digit.
 */

/** A JSON number given by its plain decimal text. */
export class ExactNumber {
  constructor(readonly text: string) {}
  /** Gives the digits to the few places that read them as text (CSV). */
  toString(): string {
    return this.text;
  }
}

const PLAIN_STRING = /^[\x20\x21\x23-\x5b\x5d-\u{d7ff}]*$/u;

/** A JSON string; the common case without escapes is not handed to JSON.stringify. */
export function quote(text: string): string {
  return PLAIN_STRING.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Escapes a text as it stands between the quotes of a JSON string. */
export function escapeText(text: string): string {
  return PLAIN_STRING.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Writes JSON as JSON.stringify does without indentation, an ExactNumber as its digits. Members that are undefined are left out. */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('a JSON number must be finite');
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object': {
      if (value === null) return 'null';
      if (value instanceof ExactNumber) return value.text;
      if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
      let text = '';
      for (const name of Object.keys(value)) {
        const member = (value as Record<string, unknown>)[name];
        if (member !== undefined) text += `${text === '' ? '' : ','}${quote(name)}:${toJson(member)}`;
      }
      return `{${text}}`;
    }
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

/** Tells whether parsed JSON is an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
