import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recent } from '../../server/recent.js';

test('what was asked for lately stays, the rest goes when it gets too much', () => {
  const recent = new Recent<number>(10);
  recent.set('a', 1, 4);
  recent.set('b', 2, 4);
  assert.equal(recent.get('a'), 1);
  recent.set('c', 3, 4);
  assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [1, undefined, 3]);
  recent.set('d', 4, 7);
  assert.deepEqual([recent.get('a'), recent.get('c'), recent.get('d')], [undefined, undefined, 4]);
});

test('what alone is too much is not kept', () => {
  const recent = new Recent<number>(10);
  recent.set('a', 1, 11);
  recent.set('b', 2, 10);
  assert.deepEqual([recent.get('a'), recent.get('b')], [undefined, 2]);
});

test('a value that is set again counts once', () => {
  const recent = new Recent<number>(10);
  recent.set('a', 1, 6);
  recent.set('b', 2, 4);
  recent.set('a', 3, 6);
  assert.deepEqual([recent.get('a'), recent.get('b')], [3, 2]);
});
