/** Decimals of the pages against whole numbers: no digit of a figure is lost or made up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { grouped, isZero, sumOf, textOf, typedDecimal, unitsOf } from '../../../../server/web/values/decimal.js';

const cents = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const asUsd = (amount: bigint) => {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

test('sums are exact, far above what a JavaScript number holds', () => {
  fc.assert(
    fc.property(fc.array(cents), (amounts) => {
      assert.equal(sumOf(amounts.map(asUsd), 2), asUsd(amounts.reduce((sum, one) => sum + one, 0n)));
    }),
  );
});

test('a text read and written is the same text', () => {
  fc.assert(fc.property(cents, (amount) => assert.equal(textOf(unitsOf(asUsd(amount)), 2), asUsd(amount))));
  assert.equal(textOf(unitsOf('0.000001')), '0.000001');
});

test('commas between thousands change no digit', () => {
  fc.assert(
    fc.property(cents, (amount) => {
      assert.equal(grouped(asUsd(amount)).replaceAll(',', '').replace('−', '-'), asUsd(amount));
    }),
  );
  assert.equal(grouped('-1234567.5'), '−1,234,567.5');
  assert.equal(grouped('123'), '123');
});

test('an unknown figure counts as nothing, and zero has no sign', () => {
  assert.equal(sumOf(['', '1.50'], 2), '1.50');
  assert.ok(isZero('-0.00') && isZero(''));
  assert.equal(grouped('-0.00'), '0.00');
});

test('amounts are taken as people type them', () => {
  for (const [typed, plain] of [
    ['1,234.50', '1234.50'],
    [' $ 12 ', '12'],
    ['1 000', '1000'],
  ] as const) {
    assert.equal(typedDecimal(typed), plain, typed);
  }
  for (const typed of [
    '',
    '-1',
    '1e3',
    'abc',
    '1.2.3',
    '.5',
    '12,5,',
    '30,5',
    '1.250,5',
    '1,2345',
    ',5',
    '12,34,567',
    '0,500',
    '00,500',
    '12 5',
  ])
    assert.equal(typedDecimal(typed), undefined, typed);
});
