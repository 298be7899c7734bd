/** Decimals of the pages against whole numbers: no digit of a figure is lost or made up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  amountsIn,
  grouped,
  isZero,
  sumOf,
  textOf,
  typedDecimal,
  unitsOf,
} from '../../../../server/web/values/decimal.js';

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

/** Marks of languages: thousands and decimals, and an amount of dollars. */
const MARKS = [
  ['en-US', ',', '.', '$1,234.50'],
  ['de-DE', '.', ',', '1.234,50 $'],
  ['fr-FR', '\u202f', ',', '1\u202f234,50 $US'],
  ['es-ES', '.', ',', '1234,50 US$'],
  ['it-IT', '.', ',', '1234,50 USD'],
  ['ja-JP', ',', '.', '$1,234.50'],
  ['ko-KR', ',', '.', 'US$1,234.50'],
] as const;

test('the marks of every language change no digit', () => {
  for (const [locale, thousands, decimal, money] of MARKS) {
    const { grouped, listed, dollars } = amountsIn(locale);
    const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }));
    fc.assert(
      fc.property(amounts, ([whole, part]) => {
        const text = `${whole}.${String(part).padStart(18, '0')}`;
        assert.equal(grouped(text).replaceAll(thousands, '').replace(decimal, '.'), text, locale);
      }),
    );
    assert.equal(grouped('-1234567.5'), `−1${thousands}234${thousands}567${decimal}5`, locale);
    assert.equal(listed('12345.6'), locale === 'en-US' ? '12345.6' : `12${thousands}345${decimal}6`, locale);
    assert.deepEqual([grouped(''), listed('')], ['', ''], 'unknown is not zero');
    assert.equal(dollars('1234.5').replaceAll('\u00a0', ' '), money, locale);
  }
});

test('Switzerland has its own marks', () => {
  assert.match(amountsIn('de-CH').grouped('-1234567.5'), /^−1(['’])234\1(?:567)\.5$/);
});

test('where a comma stands before decimals, an amount has one reading or none', () => {
  const german = amountsIn('de-DE');
  const typed = {
    ...{ '30,5': '30.5', '30.5': '30.5', '0,500': '0.500', '0.123': '0.123', '1234,567': '1234.567' },
    ...{ '1.234,5': '1234.5', '1,234.5': '1234.5', '1.234,567': '1234.567', '1,234.567': '1234.567' },
    ...{ '1.234.567': '1234567', '1,234,567': '1234567', '1 234,5': '1234.5', '12,50 $': '12.50', '1,2340': '1.2340' },
  };
  for (const [text, plain] of Object.entries(typed)) assert.equal(german.typedDecimal(text), plain, text);
  for (const text of ['1.234', '1,234', '999.999', '12,34,567', '1.23,4', '1,2.3', ',5', '', '-1', '1e3']) {
    assert.equal(german.typedDecimal(text), undefined, text);
  }
  assert.deepEqual(['1.234', '1.23', '0.123', '1234.567'].map(german.forInput), [
    '1.2340',
    '1.23',
    '0.123',
    '1234.567',
  ]);
  assert.equal(typedDecimal('1.234'), '1.234');
  for (const locale of ['de-CH', 'ja-JP', 'ko-KR'])
    assert.equal(amountsIn(locale).typedDecimal('1.234'), '1.234', locale);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.nat(18), (units, places) => {
      const digits = String(units).padStart(places + 1, '0');
      const plain = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
      const read = german.typedDecimal(german.forInput(plain))!;
      assert.equal(unitsOf(read), unitsOf(plain), plain);
      const written = german.typedDecimal(german.grouped(plain));
      if (written !== undefined) assert.equal(unitsOf(written), unitsOf(plain), plain);
    }),
  );
});
