/** Formats of durations and sizes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { size, span } from '../../../scripts/status/describe.js';

test('a duration has the largest unit of which there are two', () => {
  const spans = [0, 119, 120, 7199, 7200, 172_799, 172_800, 1e9].map(span);
  assert.deepEqual(spans, [
    '0 seconds',
    '119 seconds',
    '2 minutes',
    '119 minutes',
    '2 hours',
    '47 hours',
    '2 days',
    '11,574 days',
  ]);
});

test('a size has the largest unit of which there is one', () => {
  const sizes = [0, 999, 1000, 76_600_000_000, 3e15].map(size);
  assert.deepEqual(sizes, ['0 bytes', '999 bytes', '1 kB', '76.6 GB', '3000.0 TB']);
});
