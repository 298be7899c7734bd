/** Decimals, against vectors computed by hand and the definition of each rounding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  divide,
  divideTruncated,
  divideUp,
  formatDecimal18,
  multiply,
  multiplyTruncated,
  ONE,
  parseDecimal18,
} from '../../../pipeline/holdings/values/decimal18.js';

const amount = fc.bigInt({ min: 0n, max: 10n ** 40n });
const divisor = fc.bigInt({ min: 1n, max: 10n ** 40n });
const seeded = { seed: 7, numRuns: 300 };

test('products and quotients of half a unit go to the even neighbour', () => {
  assert.equal(multiply(1n, ONE / 2n), 0n); // 0.5 → 0
  assert.equal(multiply(3n, ONE / 2n), 2n); // 1.5 → 2
  assert.equal(multiply(5n, ONE / 2n), 2n); // 2.5 → 2
  assert.equal(divide(1n, 2n * ONE), 0n);
  assert.equal(divide(3n, 2n * ONE), 2n);
});

test('a quotient is cut at 36 decimals before it is rounded: just above a half counts as a half', () => {
  // 10^38 / (2 × 10^38 − 1) exceeds 0.5 by less than 10^-36; one-step rounding would give 1.
  assert.equal(divide(10n ** 20n, 2n * 10n ** 38n - 1n), 0n);
  assert.equal(divide(10n ** 20n, 2n * 10n ** 38n - 10n ** 22n), 1n);
});

test('every operation is within its rounding of the exact value', () => {
  fc.assert(
    fc.property(amount, divisor, (a, b) => {
      const product = a * b;
      assert.equal(multiplyTruncated(a, b), product / ONE);
      const rounded = multiply(a, b) * ONE - product;
      assert.ok(rounded <= ONE / 2n && -rounded <= ONE / 2n);
      assert.ok(divideTruncated(a, b) * b <= a * ONE && (divideTruncated(a, b) + 1n) * b > a * ONE);
      assert.ok(divideUp(a, b) * b >= a * ONE && (divideUp(a, b) - 1n) * b < a * ONE);
      const twice = 2n * (divide(a, b) * b - a * ONE);
      assert.ok((twice < 0n ? -twice : twice) <= b + 2n * (b / ONE) + 2n);
    }),
    seeded,
  );
});

test('a decimal is read as it is written', () => {
  fc.assert(
    fc.property(amount, (a) => assert.equal(parseDecimal18(formatDecimal18(a)), a)),
    seeded,
  );
  assert.equal(parseDecimal18('1.5'), (3n * ONE) / 2n);
  assert.equal(parseDecimal18('7'), 7n * ONE);
  assert.throws(() => parseDecimal18('1e5'), RangeError);
});
