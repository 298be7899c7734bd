import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  elementSlices,
  MemberFault,
  memberSlices,
  parseJson,
  withoutMember,
} from '../../../pipeline/base/json/exact-json.js';

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

const spaces = fc.constantFrom(undefined, 1, '\t', ' \n ');

test('members and elements are the very text of any JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (object, space) => {
      const text = JSON.stringify(object, null, space);
      const slices = [...memberSlices(text)].map(([name, value]) => [JSON.parse(`"${name}"`), JSON.parse(value)]);
      assert.deepEqual(slices, Object.entries(JSON.parse(text)));
      for (const slice of memberSlices(text).values()) assert.ok(text.includes(slice) && slice === slice.trim());
    }),
    { seed: 1, numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), spaces, (list, space) => {
      const text = JSON.stringify(list, null, space);
      assert.deepEqual(
        elementSlices(text).map((slice) => JSON.parse(slice)),
        JSON.parse(text),
      );
    }),
    { seed: 2, numRuns: 500 },
  );
});

test('every cut-off text is refused', () => {
  const text = '{"a": ["x\\\\", {"b": "}\\""}], "c": null, "d": -1.5e3}';
  assert.deepEqual(
    [...memberSlices(text)],
    [
      ['a', '["x\\\\", {"b": "}\\""}]'],
      ['c', 'null'],
      ['d', '-1.5e3'],
    ],
  );
  for (let end = 0; end < text.length; end++) {
    assert.throws(() => memberSlices(text.slice(0, end)), SyntaxError, text.slice(0, end));
  }
  assert.throws(() => elementSlices('<html></html>'), /begins with <html>/);
  for (const wrong of ['{"a" 1}', '{a: 1}', '{"a":}', '{"a":1 "b":2}']) {
    assert.throws(() => memberSlices(wrong), SyntaxError, wrong);
  }
});

test('a member is cut out wherever it stands, and all else stays word for word', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.nat(),
      spaces,
      (object, choice, space) => {
        const value = JSON.parse(JSON.stringify({ before: 1, outer: object, behind: [object] }));
        const names = Object.keys(value.outer).filter((name) => JSON.stringify(name) === `"${name}"`);
        fc.pre(names.length > 0);
        const name = names[choice % names.length]!;
        const text = withoutMember(JSON.stringify(value, null, space), ['outer', name]);
        delete value.outer[name];
        assert.deepEqual(JSON.parse(text), value);
      },
    ),
    { seed: 3, numRuns: 500 },
  );
  assert.equal(withoutMember('{"a": {"b": 1, "c": 2}, "d": 3}', ['a', 'c']), '{"a": {"b": 1}, "d": 3}');
  assert.equal(withoutMember('{"a": {"b": 1, "c": 2}}', ['a', 'b']), '{"a": {"c": 2}}');
  assert.equal(withoutMember('{"a": {"b": 1}}', ['a', 'x']), '{"a": {"b": 1}}');
});
