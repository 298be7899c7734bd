/**
 * Cuts values out of JSON text as they stand, so that what a node said is kept in its own words. Only the structure down
 * to the values asked for is looked at; whether the values themselves are JSON is for whoever parses them.
 */
import { cutOff, endOfString } from './exact-json.js';

const QUOTE = 34;
const [COMMA, COLON] = [44, 58];
const [OPEN_LIST, CLOSE_LIST] = [91, 93];
const [OPEN_OBJECT, CLOSE_OBJECT] = [123, 125];

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

function skipSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Behind the value that begins at `at`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (depth > 0 || !(code === COMMA || isSpace(code))) continue;
    // Here a string, list or object has just ended, or a bare word lies behind us.
    if (depth === 0) return code === COMMA || isSpace(code) ? i : i + 1;
    if (depth < 0) return i;
  }
  throw cutOff();
}

/** A member of an object or an element of a list: where it begins, where its value begins, and where that ends, exclusive. */
interface Slice {
  /** '' in a list. */
  readonly name: string;
  readonly begin: number;
  readonly value: number;
  readonly end: number;
}

/** The members of the object, or elements of the list, that begins in the text at `at`. */
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

/** '{"a": [1], "b": null}' → a: '[1]', b: 'null'. @throws SyntaxError when it is no object or cut off */
export function memberSlices(text: string): Map<string, string> {
  return new Map(
    Array.from(slices(text, OPEN_OBJECT, CLOSE_OBJECT), ({ name, value, end }) => [name, text.slice(value, end)]),
  );
}

/** '[{"a": 1}, 2]' → '{"a": 1}', '2'. @throws SyntaxError when it is no list or cut off */
export function elementSlices(text: string): string[] {
  return Array.from(slices(text, OPEN_LIST, CLOSE_LIST), ({ value, end }) => text.slice(value, end));
}

/**
 * Cuts a member out of an object: '{"a": {"b": 1, "c": 2}, "d": 3}' without a, c → '{"a": {"b": 1}, "d": 3}'. A member that is not there
 * leaves the text as it is. What follows it is not looked at.
 * @param path names of the objects that lead to it, and its own @throws SyntaxError when what lies before it is no object or cut off
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

/** Cuts with a member the comma that parts it from the one before, or, where it is the first, from the one behind. */
function cut(text: string, { begin, end }: Slice, before: Slice | undefined): string {
  if (before) return text.slice(0, before.end) + text.slice(end);
  const behind = skipSpace(text, end);
  return text.slice(0, begin) + text.slice(text.charCodeAt(behind) === COMMA ? skipSpace(text, behind + 1) : behind);
}
