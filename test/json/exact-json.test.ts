import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemberFault, parseJson } from '../../pipeline/json/exact-json.js';

const faultIn = (text: string) => {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof MemberFault, String(error));
    return error.path;
  }
  return undefined;
};

test('a member that an object names twice is refused, by its place', () => {
  for (const [text, path] of [
    ['{"a": 1, "a": 1}', '/a'],
    ['{"tags": {"A:ibc/1": "x", "B": ":", "A:ibc\\u002f1": "y"}}', '/tags/A:ibc~11'],
    ['[0, [{"x": ["a:b", {}], "y": {"x": 1}, "x": 2}]]', '/1/0/x'],
    ['{"__proto__": 1, "\\u005f_proto__": {}}', '/__proto__'],
    ['{"": {"": 1}, "a": [[], {"": 1, "": 2}]}', '/a/1/'],
  ] as const)
    assert.equal(faultIn(text), path, text);
  assert.throws(() => parseJson('{"a": 1, "a"'), { name: 'SyntaxError', message: /JSON/ });
});

test('half of a surrogate pair is refused, by its place; a whole one is a character', () => {
  for (const [text, path] of [
    ['"\\ud800"', ''],
    ['{"name": "a\\uDC00b"}', '/name'],
    ['{"a": [{"b": "\\ud83d\\ude00"}, "\\ude00\\ud83d"]}', '/a/1'],
    ['{"a": {"~\\uDBFF": 1}}', '/a/~0\ufffd'],
    ['{"\\ud83d\\ude00": "\\ud83d\\ude00 \\\\ud800"}', undefined],
  ] as const)
    assert.equal(faultIn(text), path, text);
  assert.equal(faultIn(`${'{"a":'.repeat(5000)}"\\ud800"${'}'.repeat(5000)}`), '/a'.repeat(5000));
});

test('whatever else is JSON is parsed as JSON.parse does, however deep it nests', () => {
  fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(parseJson(text), JSON.parse(text))));
  assert.deepEqual(parseJson('{"a": {"a": [{"a": ":"}, {"a": "\\""}]}, "__proto__": 1}'), {
    a: { a: [{ a: ':' }, { a: '"' }] },
    ['__proto__']: 1,
  });
  assert.ok(parseJson('['.repeat(5000) + ']'.repeat(5000)));
  assert.equal(faultIn(`${'{"a":'.repeat(5000)}{"b":1,"b":1}${'}'.repeat(5000)}`), `${'/a'.repeat(5000)}/b`);
});
