import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, daysBetween, daysThrough, isDay } from '../../../pipeline/base/values/day.js';

test('counts days across months, years and leap days', () => {
  assert.equal(addDays('2026-03-01', -1), '2026-02-28');
  assert.equal(addDays('2024-12-31', 1), '2025-01-01');
  assert.equal(daysBetween('2024-02-28', '2024-03-01'), 2);
  assert.equal(daysBetween('2026-03-01', '2026-02-28'), -1);
  assert.deepEqual(daysThrough('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01']);
  assert.deepEqual(daysThrough('2026-03-02', '2026-03-01'), []);
});

test('accepts only calendar days as YYYY-MM-DD', () => {
  for (const day of ['2024-02-29', '0001-01-01', '9999-12-31']) assert.ok(isDay(day), day);
  for (const text of ['2026-02-29', '2026-13-01', '2026-2-1', '0000-01-01', '2026-01-01T00:00:00Z', '']) {
    assert.ok(!isDay(text), text);
  }
});
