import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstNumber, packNumbers, unpackNumbers } from '../../../pipeline/holdings/values/packed-numbers.js';

/** Numbers of every length that a share, a stake or a ratio can have, small ones and zeros among them. */
const numbers = fc.array(fc.oneof(fc.constant(0n), fc.bigInt(0n, 1n << 52n), fc.bigInt(0n, 1n << 160n)));

test('numbers come back as they were, but for zeros at the end', () => {
  fc.assert(
    fc.property(numbers, (list) => {
      const text = packNumbers(list);
      const back = unpackNumbers(text);
      assert.deepEqual([...back, ...list.slice(back.length).map(() => 0n)], list);
      assert.notEqual(back.at(-1), 0n);
      if (back.length > 0) assert.equal(firstNumber(text), list[0]);
    }),
  );
});

test('lists that differ in zeros at the end alone are one text', () => {
  assert.equal(packNumbers([5n, 0n, 32n, 0n, 0n]), '5,-1,10');
  assert.equal(packNumbers([0n, 0n]), '');
});

test('thousands of zeros take no more room than a few', () => {
  const list = [7n, ...Array.from({ length: 5000 }, () => 0n), 9n];
  assert.ok(packNumbers(list).length < 10);
  assert.deepEqual(unpackNumbers(packNumbers(list)), list);
});

test('numbers around what a double holds, and around where a text is cut', () => {
  for (const bits of [49n, 50n, 51n, 52n, 53n, 54n, 63n, 64n, 99n, 100n, 101n, 150n]) {
    const list = [(1n << bits) - 1n, 1n << bits, (1n << bits) + 1n];
    assert.deepEqual(unpackNumbers(packNumbers(list)), list);
  }
});
