import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketFailure, parsePrice } from '../../pipeline/prices/market-source.js';

test('a price is read digit by digit, with or without an exponent', () => {
  const read = (text: string) => parsePrice(text).toFixed();
  assert.equal(read('2.05000000'), '2.05');
  assert.equal(read('98765'), '98765');
  assert.equal(read('1.2e-7'), '0.00000012');
  assert.equal(read('1.5E+2'), '150');
  assert.equal(read('0.12345678901234567850123456789'), '0.12345678901234567850123456789');
  for (const text of [
    '',
    '0',
    '0.00',
    '-1',
    'NaN',
    '1,5',
    '0x10',
    '1e999',
    '1e-999',
    '1e999999999',
    'Infinity',
    ' 1',
    'undefined',
  ]) {
    assert.throws(
      () => parsePrice(text),
      (error) => error instanceof MarketFailure && !error.unreachable,
      text,
    );
  }
});
