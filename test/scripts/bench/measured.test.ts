import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from '../../../scripts/bench/measured.js';

test('the median of an even number of figures is the mean of the middle two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});
