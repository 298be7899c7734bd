import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_TIME, boundOf, daysOf } from '../../../../server/tax/parameters/time-range.js';

test('a day begins with its first second and ends with its last', () => {
  assert.equal(boundOf('2026-02-28', 'start'), '2026-02-28 00:00:00');
  assert.equal(boundOf('2026-02-28', 'end'), '2026-02-28 23:59:59');
  assert.equal(boundOf('2024-02-29', 'end'), '2024-02-29 23:59:59');
});

test('an instant is turned to UTC; a fraction narrows the range', () => {
  assert.equal(boundOf('2026-01-01T00:30:00+01:00', 'start'), '2025-12-31 23:30:00');
  assert.equal(boundOf('2026-01-01t00:30:00z', 'end'), '2026-01-01 00:30:00');
  assert.equal(boundOf('2026-01-01T00:30:00.25Z', 'start'), '2026-01-01 00:30:01');
  assert.equal(boundOf('2026-01-01T00:30:00.000Z', 'start'), '2026-01-01 00:30:00');
  assert.equal(boundOf('2026-01-01T00:30:00.999-00:30', 'end'), '2026-01-01 01:00:00');
  assert.equal(boundOf('2026-12-31T23:59:59.5Z', 'start'), '2027-01-01 00:00:00');
});

test('a leap second is the last one of its month; no other minute has one', () => {
  assert.equal(boundOf('2016-12-31T23:59:60Z', 'start'), '2016-12-31 23:59:59');
  assert.equal(boundOf('2016-12-31T15:59:60.5-08:00', 'end'), '2016-12-31 23:59:59');
  assert.equal(boundOf('2017-01-01T00:59:60.5+01:00', 'start'), '2017-01-01 00:00:00');
  for (const text of [
    '2016-12-31T22:59:60Z',
    '2016-12-30T23:59:60Z',
    '2016-12-31T23:59:60-08:00',
    '2016-12-31T23:59:61Z',
  ]) {
    assert.equal(boundOf(text, 'end'), undefined, text);
  }
});

test('what is no day and no instant has no bound', () => {
  for (const text of [
    '2026-02-29',
    '2026-2-1',
    '20260201',
    '2026-13-01',
    '2026-00-10',
    '2026-01-32',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-01-01T10:00Z',
    '2026-01-01T10:00:00',
    '2026-01-01T10:00:00+25:00',
    '2026-01-01 10:00:00Z',
    '2026-02-30T10:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '+12026-01-01',
    'today',
    ' 2026-01-01',
    '2026-01-01\n',
  ]) {
    assert.equal(boundOf(text, 'start'), undefined, JSON.stringify(text));
  }
});

test('an open range is shown by the ends of the index', () => {
  const index = { indexStart: '2025-12-31', indexEnd: '2026-04-14', time: '2026-04-14T12:00:00Z' };
  assert.deepEqual(daysOf({ range: ALL_TIME }, index), ['2025-12-31', '2026-04-14']);
  const since = { ...ALL_TIME, start: '2026-01-01T00:30:00+01:00', from: '2025-12-31 23:30:00' };
  assert.deepEqual(daysOf({ range: since }, index), ['2025-12-31', '2026-04-14']);
  const later = { ...ALL_TIME, start: '2027-01-01', from: '2027-01-01 00:00:00' };
  assert.deepEqual(daysOf({ range: later }, index), ['2027-01-01', '2027-01-01']);
  const earlier = { ...ALL_TIME, end: '2025-06-30', to: '2025-06-30 23:59:59' };
  assert.deepEqual(daysOf({ range: earlier }, index), ['2025-06-30', '2025-06-30']);
});
