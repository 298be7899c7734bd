import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converted, daysBetween, parsePrice } from '../../pipeline/prices/market-source.js';

const UNIT = 10n ** 18n;

test('a price is read digit by digit, with an exponent and with more digits than are kept', () => {
  assert.equal(parsePrice('2.05000000'), (205n * UNIT) / 100n);
  assert.equal(parsePrice('98765'), 98_765n * UNIT);
  assert.equal(parsePrice('1.2e-7'), 120_000_000_000n);
  assert.equal(parsePrice('1.5E+2'), 150n * UNIT);
  assert.equal(parsePrice('0.1234567890123456785'), 123_456_789_012_345_679n);
  for (const text of ['', '0', '0.00', '-1', 'NaN', '1,5', '0x10', '1e999', 'undefined']) {
    assert.throws(() => parsePrice(text), RangeError, text);
  }
});

test('USDT times its rate', () => {
  assert.equal(converted(parsePrice('2.05'), parsePrice('0.9991')), parsePrice('2.048155'));
});

test('days between two, both among them', () => {
  assert.deepEqual(daysBetween('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01']);
  assert.deepEqual(daysBetween('2026-03-02', '2026-03-01'), []);
});
