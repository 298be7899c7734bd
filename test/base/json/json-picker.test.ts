/** The streaming reader, against JSON.parse on random documents cut at random places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonPicker } from '../../../pipeline/base/json/json-picker.js';

const CHOSEN = new Set(['a', 'b.a', 'b.c[]', 'd[].a', 'd[].c[]']);

/** The values that should be found: the chosen paths of a parsed document, in its order. */
function expected(document: unknown): [string, string, unknown][] {
  const found: [string, string, unknown][] = [];
  const visit = (value: unknown, path: string, place: string): void => {
    if (CHOSEN.has(path)) found.push([path, place, value]);
    else if (Array.isArray(value)) {
      for (const [i, element] of value.entries()) visit(element, `${path}[]`, `${path}[${i}]`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const inner = path === '' ? name : `${path}.${name}`;
        visit(member, inner, inner);
      }
    }
  };
  visit(document, '', '');
  return found;
}

function pick(bytes: Uint8Array, cuts: readonly number[]): [string, string, unknown][] {
  const found: [string, string, unknown][] = [];
  const picker = new JsonPicker(CHOSEN, (...one) => found.push(one));
  let start = 0;
  for (const end of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    picker.push(bytes.subarray(start, end));
    start = end;
  }
  picker.end();
  return found;
}

const { value: json } = fc.letrec((tie) => ({
  name: fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.string()),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\\', '"', '}{][,:', 'ü\\"'),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(tie('name') as fc.Arbitrary<string>, tie('value'), { maxKeys: 5 }),
  ),
}));
const document = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), json);

test('the chosen values of any document are found, wherever its chunks end', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(0, 2), fc.array(fc.nat(), { maxLength: 6 }), (value, indent, cuts) => {
      const text = JSON.stringify(value, undefined, indent);
      assert.deepEqual(pick(new TextEncoder().encode(text), cuts), expected(JSON.parse(text)));
    }),
    { seed: 3, numRuns: 500 },
  );
});

test('what is no JSON is refused, and named by its byte', () => {
  const refuse = (text: string, message: RegExp) =>
    assert.throws(() => pick(new TextEncoder().encode(text), []), message, text);
  refuse('{"a": 1', /it ends at byte 7/);
  refuse('{"a" 1}', /near byte 0: "1" instead of a colon/);
  refuse('root:x:0\ndaemon', /near byte 0: "d" instead of the end of the document/);
  refuse('{"b": {"a": 1} "c": 2}', /not JSON/);
  refuse('{"a": nil}', /JSON/);
  refuse('', /it ends at byte/);
});
