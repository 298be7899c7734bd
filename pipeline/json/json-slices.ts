/**
 * Cuts values out of JSON text as they stand, so that what a node said is kept in its own words. Only the structure down
 * to the values asked for is looked at; whether the values themselves are JSON is for whoever parses them.
 */
const QUOTE = 34;
const BACKSLASH = 92;
const [COMMA, COLON] = [44, 58];
const [OPEN_LIST, CLOSE_LIST] = [91, 93];
const [OPEN_OBJECT, CLOSE_OBJECT] = [123, 125];

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;
const cutOff = () => new SyntaxError('the JSON text ends too early');

function skipSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Behind the string whose opening quote is at `at`. */
function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  throw cutOff();
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

/** The members of a list or object as slices; `name` is '' in a list. */
function* slices(text: string, open: number, close: number): Generator<[name: string, value: string]> {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== open) throw new SyntaxError(`the JSON text begins with ${text.slice(0, 20)}`);
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) !== close) {
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
    yield [name, text.slice(at, end)];
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
    else if (text.charCodeAt(at) !== close) throw cutOff();
  }
}

/** '{"a": [1], "b": null}' → a: '[1]', b: 'null'. @throws SyntaxError when it is no object or cut off */
export function memberSlices(text: string): Map<string, string> {
  return new Map(slices(text, OPEN_OBJECT, CLOSE_OBJECT));
}

/** '[{"a": 1}, 2]' → '{"a": 1}', '2'. @throws SyntaxError when it is no list or cut off */
export function elementSlices(text: string): string[] {
  return Array.from(slices(text, OPEN_LIST, CLOSE_LIST), ([, value]) => value);
}
