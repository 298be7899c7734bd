/**
 * A number that JSON contains with all its digits. A JavaScript number would round amounts. This module writes such
 * JSON, and its parseJson rejects repeated members and lone surrogates, which JSON.parse accepts.
 */

export class ExactNumber {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

const PLAIN_STRING = /^[\x20\x21\x23-\x5b\x5d-\u{d7ff}]*$/u;

export function quote(text: string): string {
  return PLAIN_STRING.test(text) ? `"${text}"` : JSON.stringify(text);
}

export function escapeText(text: string): string {
  return PLAIN_STRING.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Like JSON.stringify, but writes every digit of an ExactNumber. */
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST] = [91, 93];
const [OPEN_OBJECT, CLOSE_OBJECT] = [123, 125];

export class MemberFault extends SyntaxError {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Parses JSON like JSON.parse, but rejects repeated members. With a repeated member, the text has more members than the
 * parsed value.
 * @throws SyntaxError or MemberFault
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (membersIn(text) > membersOf(value)) throw new MemberFault(firstRepeated(text), 'is given twice');
  if (SURROGATE_ESCAPE.test(text)) requireUnicode(value);
  return value;
}

const SURROGATE_ESCAPE = /\\ud[89a-f]/i;
const LONE_SURROGATE = /\p{Surrogate}/gu;

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
    throw new MemberFault(path, 'contains half of a surrogate pair, which is not a character');
}

const cutOff = (): SyntaxError => new SyntaxError('the JSON text ends too early');

function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  throw cutOff();
}

/** Counts the members in a text. Each member has one colon outside of strings. */
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

/** Counts members at all depths without recursion, because deep nesting could overflow the stack. */
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

interface Open {
  readonly names: Set<string> | undefined;
  at: string | number;
}

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

export function pointer(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

function skipSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (depth > 0 || !(code === COMMA || isSpace(code))) continue;
    if (depth === 0) return code === COMMA || isSpace(code) ? i : i + 1;
    if (depth < 0) return i;
  }
  throw cutOff();
}

interface Slice {
  /** Name of the member; '' for elements of a list. */
  readonly name: string;
  readonly begin: number;
  readonly value: number;
  readonly end: number;
}

function* slices(text: string, open: number, close: number, from = 0): Generator<Slice> {
  let at = skipSpace(text, from);
  if (text.charCodeAt(at) !== open) throw new SyntaxError(`the JSON text begins with ${text.slice(at, at + 20)}`);
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) !== close) {
    const begin = at;
    let name = '';
    if (open === OPEN_OBJECT) {
      if (text.charCodeAt(at) !== QUOTE) throw cutOff();
      const end = endOfString(text, at);
      name = text.slice(at + 1, end - 1);
      at = skipSpace(text, end);
      if (text.charCodeAt(at) !== COLON) throw cutOff();
      at = skipSpace(text, at + 1);
    }
    const end = endOfValue(text, at);
    if (end === at) throw cutOff();
    yield { name, begin, value: at, end };
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
    else if (text.charCodeAt(at) !== close) throw cutOff();
  }
}

/** Returns each member's value as JSON text. '{"a": [1], "b": null}' gives a: '[1]' and b: 'null'. */
export const memberSlices = (text: string): Map<string, string> => new Map(memberList(text));

/**
 * Returns names and values of all members as in the JSON text, in its order, also of members that are given twice.
 * '{"a": 1, "a": 2}' gives ['a', '1'] and ['a', '2'].
 */
export const memberList = (text: string): [name: string, value: string][] =>
  Array.from(slices(text, OPEN_OBJECT, CLOSE_OBJECT), ({ name, value, end }) => [name, text.slice(value, end)]);

/** Returns each element as JSON text. '[{"a": 1}, 2]' gives '{"a": 1}' and '2'. */
export function elementSlices(text: string): string[] {
  return Array.from(slices(text, OPEN_LIST, CLOSE_LIST), ({ value, end }) => text.slice(value, end));
}

/**
 * Removes the member at a path from JSON text. The path a, c turns '{"a": {"b": 1, "c": 2}}' into '{"a": {"b": 1}}'.
 * @throws SyntaxError if the text before the member is malformed
 */
export function withoutMember(text: string, path: readonly string[]): string {
  let at = 0;
  for (const [depth, name] of path.entries()) {
    let before: Slice | undefined;
    let found: Slice | undefined;
    for (const slice of slices(text, OPEN_OBJECT, CLOSE_OBJECT, at)) {
      if (slice.name === name) {
        found = slice;
        break;
      }
      before = slice;
    }
    if (!found) return text;
    if (depth === path.length - 1) return cut(text, found, before);
    at = found.value;
  }
  return text;
}

function cut(text: string, { begin, end }: Slice, before: Slice | undefined): string {
  if (before) return text.slice(0, before.end) + text.slice(end);
  const behind = skipSpace(text, end);
  return text.slice(0, begin) + text.slice(text.charCodeAt(behind) === COMMA ? skipSpace(text, behind + 1) : behind);
}
