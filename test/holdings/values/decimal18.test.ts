/** Decimals, against vectors computed by hand and the definition of each rounding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addCoins,
  Denoms,
  divide,
  divideTruncated,
  divideUp,
  formatCoins,
  formatDecCoins,
  formatDecimal18,
  multiply,
  multiplyTruncated,
  ONE,
  onlyDenom,
  parseDecCoins,
  parseDecimal18,
  subtractAll,
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

/** Lists of coins as the chain writes them. */

test('decimal coins are read and written in the order of their denoms', () => {
  const denoms = new Denoms();
  const text = '1.000000000000000001ibc/14F9,0.500000000000000000uatom';
  const swapped = '0.500000000000000000uatom,1.000000000000000001ibc/14F9';
  assert.equal(formatDecCoins(parseDecCoins(swapped, denoms), denoms), text);
  assert.equal(formatDecCoins(parseDecCoins(text, denoms), denoms), text);
  assert.equal(formatDecCoins(parseDecCoins('', denoms), denoms), '');
});

test('an amount ends where its denom begins, whatever its places and wherever the denom has a point', () => {
  const denoms = new Denoms();
  const text = '7.5a,12.000000000000000003a,3ibc/a1.b2345678901234567x,0.000000000000000001factory/a.b';
  assert.equal(
    formatDecCoins(parseDecCoins(text, denoms), denoms),
    '19.500000000000000003a,0.000000000000000001factory/a.b,3.000000000000000000ibc/a1.b2345678901234567x',
  );
});

test('one denom of a list, and no other that ends like it', () => {
  const text = '1.5factory/x/uatom,2.000000000000000000uatom,3.0uatom/1';
  assert.equal(onlyDenom(text, 'uatom'), '2.000000000000000000uatom');
  assert.equal(onlyDenom(text, 'atom'), '');
  assert.equal(onlyDenom('', 'uatom'), '');
});

test('a denom with digits begins at its first letter', () => {
  const balances = new Map<string, bigint>();
  addCoins(balances, '205320546ibc/14F9,12cosmosvaloper1x/3');
  addCoins(balances, '6ibc/14F9', -1n);
  assert.deepEqual(
    [...balances],
    [
      ['ibc/14F9', 205320540n],
      ['cosmosvaloper1x/3', 12n],
    ],
  );
});

test('of thousands of denoms each has its number, and all are in order', () => {
  const denoms = new Denoms();
  const names = Array.from({ length: 3000 }, (_, i) => `ibc/${(i * 7919) % 3001}`);
  const text = names.map((name) => `1.000000000000000000${name}`).join();
  const sorted = formatDecCoins(parseDecCoins(text, denoms), denoms);
  assert.equal(
    sorted,
    [...names]
      .sort()
      .map((name) => `1.000000000000000000${name}`)
      .join(),
  );
  assert.equal(denoms.numberAt(names[2999]!, 0, names[2999]!.length), 2999);
  denoms.cut(2);
  assert.deepEqual([denoms.size, denoms.sorted().length, denoms.number(names[2999]!)], [2, 2, 2]);
});

test('zeros are left out', () => {
  const denoms = new Denoms();
  const sum = parseDecCoins('1.000000000000000000b,2.000000000000000000a', denoms);
  subtractAll(sum, parseDecCoins('1.000000000000000000b', denoms));
  assert.equal(formatDecCoins(sum, denoms), '2.000000000000000000a');
  assert.equal(formatCoins([0n, 3n], denoms), '3a');
});

test('what is no list of coins is refused', () => {
  for (const text of [
    'uatom',
    '5',
    '5uatom,,3stake',
    '-5uatom',
    '1.000000000000000000',
    '1.500000000000000000,2.5uatom',
  ]) {
    assert.throws(() => parseDecCoins(text, new Denoms()), RangeError, text);
  }
});
