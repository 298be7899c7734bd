/** Cuts values out of JSON text unchanged, to keep a node's exact bytes. Does not check the values themselves. */
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

/** Returns the index after the value that starts at `at`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (depth > 0 || !(code === COMMA || isSpace(code))) continue;
    // Reached after a string, list or object, or at the end of a literal.
    if (depth === 0) return code === COMMA || isSpace(code) ? i : i + 1;
    if (depth < 0) return i;
  }
  throw cutOff();
}

interface Slice {
  /** '' in a list. */
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

/** '{"a": [1], "b": null}' → a: '[1]', b: 'null'. */
export function memberSlices(text: string): Map<string, string> {
  return new Map(
    Array.from(slices(text, OPEN_OBJECT, CLOSE_OBJECT), ({ name, value, end }) => [name, text.slice(value, end)]),
  );
}

/** '[{"a": 1}, 2]' → '{"a": 1}', '2'. */
export function elementSlices(text: string): string[] {
  return Array.from(slices(text, OPEN_LIST, CLOSE_LIST), ({ value, end }) => text.slice(value, end));
}

/**
 * Removes a member: '{"a": {"b": 1, "c": 2}, "d": 3}' without a, c → '{"a": {"b": 1}, "d": 3}'.
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

/** Removes the member and one adjacent comma. */
function cut(text: string, { begin, end }: Slice, before: Slice | undefined): string {
  if (before) return text.slice(0, before.end) + text.slice(end);
  const behind = skipSpace(text, end);
  return text.slice(0, begin) + text.slice(text.charCodeAt(behind) === COMMA ? skipSpace(text, behind + 1) : behind);
}
