/** Days of the pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  daysIn,
  isDay,
  monthsBetween,
  partsOf,
  readableDay,
  readableInstant,
  typedInstant,
} from '../../../../server/web/values/dates.js';

const DAY_MS = 86_400_000;
const dayAt = (n: number) => new Date(Date.UTC(2020, 0, 1) + n * DAY_MS).toISOString().slice(0, 10);

test('parts of a range follow each other without a gap, and are as many as wanted or as there are days', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.nat(900), fc.integer({ min: 1, max: 40 }), (first, more, count) => {
      const parts = partsOf(dayAt(first), dayAt(first + more), count);
      assert.equal(parts.length, Math.min(count, more + 1));
      assert.deepEqual([parts[0]![0], parts.at(-1)![1]], [dayAt(first), dayAt(first + more)]);
      for (const [i, [start, end]] of parts.entries()) {
        assert.ok(start <= end);
        if (i > 0) assert.equal(Date.parse(start) - Date.parse(parts[i - 1]![1]), DAY_MS);
      }
    }),
  );
});

test('months and days are read as people write them', () => {
  assert.deepEqual(monthsBetween('2025-12-31', '2026-02-01'), ['2025-12', '2026-01', '2026-02']);
  assert.equal(readableDay('2026-03-01 04:05:06'), '1 Mar 2026');
  assert.ok(isDay('2024-02-29') && !isDay('2026-02-29') && !isDay('2026-2-1'));
});

test('days have the form of the language, and in English stay as they were', () => {
  const forms = {
    'en-US': ['1 Mar 2026', 'Mar 2026', '1 Mar', '2026-03-01 04:05:06'],
    'de-DE': ['01.03.2026', 'März 2026', '1. März', '01.03.2026 04:05:06'],
    'fr-FR': ['1 mars 2026', 'mars 2026', '1 mars', '1 mars 2026 04:05:06'],
    'es-ES': ['1 mar 2026', 'mar 2026', '1 mar', '1 mar 2026 04:05:06'],
    'it-IT': ['1 mar 2026', 'mar 2026', '1 mar', '1 mar 2026 04:05:06'],
    'ja-JP': ['2026/03/01', '2026年3月', '3月1日', '2026/03/01 04:05:06'],
    'ko-KR': ['2026. 3. 1.', '2026년 3월', '3월 1일', '2026. 3. 1. 04:05:06'],
  };
  for (const [locale, expected] of Object.entries(forms)) {
    const { readableDay, readableMonth, dayOfYear, listedDay } = daysIn(locale);
    const time = '2026-03-01 04:05:06';
    assert.deepEqual([readableDay(time), readableMonth('2026-03'), dayOfYear(time), listedDay(time)], expected, locale);
  }
  assert.equal(daysIn('de-DE').readableDay('2026-02-30'), '2026-02-30', 'not a day');
});

test('a typed time is in UTC unless it has an offset, and nothing else than a time is one', () => {
  const typed = {
    '2026-12-31 15:00': '2026-12-31T15:00:00Z',
    ' 2026-12-31T15:00:00.5Z ': '2026-12-31T15:00:00.5Z',
    '2026-12-31 15:00:01 UTC': '2026-12-31T15:00:01Z',
    '2027-01-01T00:00:00+09:00': '2027-01-01T00:00:00+09:00',
    '2027-01-01 05:45 +05:45': '2027-01-01T05:45:00+05:45',
  };
  for (const [text, instant] of Object.entries(typed)) assert.equal(typedInstant(text), instant);
  const wrong = ['', '2026-12-31', '2026-02-29 10:00', '2026-12-31 24:00', '2026-12-31 10:60', '2026-12-31 10:00 9:00'];
  for (const text of wrong) assert.equal(typedInstant(text), undefined, text);
});

test('an instant is read with its time and its offset', () => {
  assert.equal(readableInstant('2026-01-31T19:34:51.44707Z'), '31 Jan 2026, 19:34:51.44707 UTC');
  assert.equal(readableInstant('2027-01-01T00:00:00+09:00'), '1 Jan 2027, 00:00:00 UTC+09:00');
});
