import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged } from '../../../../server/web/values/merged.js';

const KNOWN = { a: 1, b: 1, c: 1, d: 1 };

test('what one side has changed, added or removed stands', () => {
  const theirs = { a: 2, c: 1, d: 1, e: 1 };
  const mine = { a: 1, b: 1, c: 2, f: 1 };
  assert.deepEqual(merged(KNOWN, theirs, mine), { values: { a: 2, c: 2, e: 1, f: 1 }, overruled: [] });
});

test('where both have changed a value, this side stands and the key is told', () => {
  assert.deepEqual(merged(KNOWN, { ...KNOWN, a: 2, b: 3 }, { ...KNOWN, a: 3, b: 3 }), {
    values: { ...KNOWN, a: 3, b: 3 },
    overruled: ['a'],
  });
  assert.deepEqual(merged(KNOWN, { b: 1, c: 1, d: 1 }, { ...KNOWN, a: 2 }).values, { ...KNOWN, a: 2 });
});

test('where nothing is known of before, nothing counts as removed', () => {
  assert.deepEqual(merged({}, { a: 1, b: 1 }, { b: 2, c: 1 }), { values: { a: 1, b: 2, c: 1 }, overruled: ['b'] });
});
