import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal as Library } from 'decimal.js';
import fc from 'fast-check';
import { halfUp, parseDecimal } from '../../../pipeline/base/values/amount.js';
import { Decimal, fromUnits, toUnits } from '../../../pipeline/base/values/decimal.js';

const rounded = (text: string, places: number) => toUnits(new Decimal(text), places);

test('converts units to decimals and back', () => {
  assert.equal(fromUnits(1_500_000n, 6).toFixed(), '1.5');
  assert.equal(fromUnits(-1n, 18).toFixed(), '-0.000000000000000001');
  assert.equal(fromUnits(0n, 6).toFixed(), '0');
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), fc.nat(60), (units, places) => {
      assert.equal(toUnits(fromUnits(units, places), places), units);
    }),
  );
});

test('rounds further digits once, half away from zero', () => {
  assert.equal(rounded('1.2345674', 6), 1_234_567n);
  assert.equal(rounded('1.2345675', 6), 1_234_568n);
  assert.equal(rounded('-1.2345675', 6), -1_234_568n);
  assert.equal(rounded('1.23456749999999999999999999999999999', 6), 1_234_567n);
  assert.equal(rounded('0.005', 2), 1n);
  assert.equal(rounded('0.0049', 2), 0n);
  assert.equal(rounded('-0.0049', 2), 0n);
  assert.equal(rounded('1e21', 2), 10n ** 23n);
  assert.equal(rounded('2.5', 0), 3n);
});

test('multiplies three chain figures exactly, and rounds quotients as bigints do', () => {
  const figure = fc.bigInt({ min: 1n, max: 2n ** 127n });
  fc.assert(
    fc.property(figure, figure, figure, figure, (a, b, c, d) => {
      const product = new Decimal(a).times(b).times(c);
      assert.equal(toUnits(product, 0), a * b * c);
      assert.equal(toUnits(product.dividedBy(d), 0), halfUp(a * b * c, d));
    }),
  );
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 40 }), (n, d) => {
      assert.equal(toUnits(new Decimal(n).dividedBy(d), 1), halfUp(BigInt(n) * 10n, BigInt(d)), `${n} / ${d}`);
    }),
  );
});

test('parses texts of any length', () => {
  const text = `${'9'.repeat(40)}.${'1'.repeat(40)}`;
  assert.equal(rounded(text, 40), parseDecimal(text, 40));
});

test("leaves the library's own settings unchanged", () => {
  assert.equal(Library.precision, 20);
  assert.equal(Library.rounding, Library.ROUND_HALF_UP);
  assert.equal(new Library(1).dividedBy(3).precision(), 20);
});
