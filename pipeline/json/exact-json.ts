/**
 * JSON that loses nothing. V8 of Node 20 cannot write a number it does not hold as a double, and money above 2^53 base units would
 * lose digits: a number that must stay exact travels as ExactNumber and is written digit by digit. JSON.parse takes the last of two
 * members of a name, so that what somebody stated before it would be lost without a word, and half of a surrogate pair, which no UTF-8
 * can hold: such JSON is refused.
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

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST] = [91, 93];
const [OPEN_OBJECT, CLOSE_OBJECT] = [123, 125];

/** A member that JSON can write and nobody can keep as it was meant. */
export class MemberFault extends SyntaxError {
  /** @param path its JSON pointer (RFC 6901) */
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Parses JSON. Members are counted in the text and in the value, which takes a quarter of the time that parsing takes; only where these
 * differ is the one that is missing looked for.
 * @throws SyntaxError @throws MemberFault
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (membersIn(text) > membersOf(value)) throw new MemberFault(firstRepeated(text), 'is given twice');
  if (SURROGATE_ESCAPE.test(text)) requireUnicode(value);
  return value;
}

const SURROGATE_ESCAPE = /\\ud[89a-f]/i;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Requires whole characters in every text of parsed JSON, and in every name of a member. @throws MemberFault */
function requireUnicode(value: unknown): void {
  const left = [{ value, path: '' }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') requireWhole(value, path);
    if (!isObject(value)) continue;
    for (const [name, inner] of Object.entries(value)) {
      const place = path + pointer(name.replace(LONE_SURROGATE, '\ufffd'));
      requireWhole(name, place);
      left.push({ value: inner, path: place });
    }
  }
}

function requireWhole(text: string, path: string): void {
  if (text.search(LONE_SURROGATE) >= 0)
    throw new MemberFault(path, 'holds half of a surrogate pair, which is no character');
}

/** The error of a JSON text that ends in the midst of a value. */
export const cutOff = (): SyntaxError => new SyntaxError('the JSON text ends too early');

/** Behind the string whose opening quote is at `at`. @throws SyntaxError when it does not end */
export function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  throw cutOff();
}

/** Counts the members that a JSON text names: its colons outside of strings. */
function membersIn(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (code === COLON) count++;
  }
  return count;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Counts the members of all objects in parsed JSON, however deep it nests. */
function membersOf(value: unknown): number {
  let count = 0;
  const left = isObject(value) ? [value] : [];
  for (let next = left.pop(); next; next = left.pop()) {
    const isList = Array.isArray(next);
    for (const at in next) {
      if (!isList) count++;
      const inner = next[at];
      if (isObject(inner)) left.push(inner);
    }
  }
  return count;
}

/** An object or list that is not over: where it is, and the names that an object has had. */
interface Open {
  readonly names: Set<string> | undefined;
  /** Name of the member, or index of the element, that is being read. */
  at: string | number;
}

/** JSON pointer of the first member of a JSON text whose object has named it before. */
function firstRepeated(text: string): string {
  const open: Open[] = [];
  let isName = false;
  for (let i = 0; i < text.length; i++) {
    const inner = open.at(-1);
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfString(text, i);
        if (isName) {
          inner!.at = JSON.parse(text.slice(i, end));
          if (inner!.names!.has(inner!.at as string)) return pointerTo(open);
          inner!.names!.add(inner!.at as string);
        }
        isName = false;
        i = end - 1;
        break;
      }
      case OPEN_OBJECT:
        open.push({ names: new Set(), at: '' });
        isName = true;
        break;
      case OPEN_LIST:
        open.push({ names: undefined, at: 0 });
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = inner!.names !== undefined;
        if (!isName) (inner!.at as number)++;
    }
  }
  return '';
}

const pointerTo = (open: readonly Open[]) => pointer(...open.map(({ at }) => String(at)));

/** JSON pointer (RFC 6901) of these member names. */
export function pointer(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
