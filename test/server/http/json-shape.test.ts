import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shapeFault } from '../../../server/http/json-shape.js';

const fault = (text: string) => shapeFault(Buffer.from(text));

/** Levels of a value, and its lists, objects and the commas in them, counted in the value itself. */
function shapeOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const members = Object.values(value).map(shapeOf);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: 1 + Math.max(0, members.length - 1) + members.reduce((sum, { values }) => sum + values, 0),
  };
}

test('what nests too deep, or has too many values, is told without parsing', () => {
  assert.equal(fault('['.repeat(16) + ']'.repeat(16)), undefined);
  assert.equal(fault('['.repeat(500_000)), 'nests deeper than 16 levels');
  assert.equal(fault('{"a":'.repeat(17)), 'nests deeper than 16 levels');
  assert.equal(fault(`[${'1,'.repeat(30_000)}1]`), undefined);
  assert.equal(fault(`[${'1,'.repeat(40_000)}1]`), 'has more than 40000 values');
  assert.equal(fault(`[${'{},'.repeat(20_001)}1]`), 'has more than 40000 values');
});

test('what stands in texts counts for nothing', () => {
  for (const text of ['[[[,,,', '\\"[[[[', '\\\\', '\\\\\\"{{{']) {
    assert.equal(fault(`{"${text.repeat(20_000)}":1}`), undefined);
  }
  assert.equal(fault(`"${'\\"['.repeat(40_000)}`), undefined, 'a text that never ends');
  assert.equal(fault(`["\\\\",${'['.repeat(17)}`), 'nests deeper than 16 levels', 'a text that ends in a backslash');
});

test('any JSON is told by its own shape', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      const { depth, values } = shapeOf(value);
      assert.equal(fault(JSON.stringify(value)) === undefined, depth <= 16 && values <= 40_000);
    }),
    { numRuns: 300, seed: 18 },
  );
});
