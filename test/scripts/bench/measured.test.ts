import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, percentile } from '../../../scripts/bench/measured.js';

test('the median of an even number of figures is the mean of the middle two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test('a percentile is a value that so large a part of them does not exceed', () => {
  const values = Array.from({ length: 200 }, (_, i) => 200 - i);
  assert.equal(percentile(values, 0.99), 198);
  assert.equal(percentile([3, 1, 2], 0.5), 2);
  assert.equal(percentile([7], 0.99), 7);
});
