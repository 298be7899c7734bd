/** Values in other currencies, compared with a second computation in Decimal, with rates that the bank published. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, daysThrough } from '../../pipeline/base/values/day.js';
import { Decimal } from '../../pipeline/base/values/decimal.js';
import { ExchangeRates, type RateOfDay, valueIn } from '../../pipeline/books/currencies/exchange-rates.js';
import { currencyOf } from '../../pipeline/books/currencies/index.js';
import { BANK_FILE, bankRates as rates, ratesOf } from './bank-rates.js';

/** The bank's figures as it wrote them, by day and currency. */
const WRITTEN = (() => {
  const [header, ...lines] = BANK_FILE.trim()
    .split('\n')
    .map((line) => line.split(','));
  const cellsOf = (cells: readonly string[]) => Object.fromEntries(cells.map((cell, i) => [header![i + 1]!, cell]));
  return new Map(lines.map(([day, ...cells]) => [day!, { ...cellsOf(cells), EUR: '1' } as Record<string, string>]));
})();

/** The rule again, in Decimal and with the bank's text: null without a day that has both rates. */
function secondValue(code: string, quantity: string, price: string, day: string): string | null {
  const places = ['JPY', 'KRW', 'ISK'].includes(code) ? 0 : 2;
  const usd = new Decimal(quantity).times(price);
  if (code === 'USD') return usd.toFixed(places, Decimal.ROUND_HALF_UP);
  for (let back = 0; back <= 7; back++) {
    const { [code]: own, USD } = WRITTEN.get(addDays(day, -back)) ?? {};
    if (own === undefined || own === 'N/A' || USD === undefined) continue;
    return usd.times(own).dividedBy(USD).toFixed(places, Decimal.ROUND_HALF_UP);
  }
  return null;
}

const unitsIn = (text: string, decimals: number) => BigInt(new Decimal(text).times(`1e${decimals}`).toFixed(0));

function textOf(code: string, quantity: string, price: string | null, rate: RateOfDay | null): string | null {
  const currency = currencyOf(code);
  const value = valueIn(currency, unitsIn(quantity, 6), 6, price === null ? null : unitsIn(price, 6), rate);
  return value === null ? null : new Decimal(`${value}e-${currency.minorDigits}`).toFixed(currency.minorDigits);
}

const CODES = ['USD', 'EUR', 'GBP', 'CHF', 'CAD', 'AUD', 'JPY', 'KRW', 'ISK', 'HUF', 'BGN'];

test('values are those of a second computation, on every day, also weekends, holidays and after the last rate', () => {
  const quantity = fc
    .bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
    .map((units) => new Decimal(`${units}e-6`).toFixed());
  const price = fc.bigInt({ min: 1n, max: 10n ** 13n }).map((units) => new Decimal(`${units}e-6`).toFixed());
  const days = daysThrough('2025-12-15', '2026-04-30');
  fc.assert(
    fc.property(quantity, price, fc.constantFrom(...days), fc.constantFrom(...CODES), (amount, usd, day, code) => {
      const found = textOf(code, amount, usd, rates.rateOn(day, code));
      const expected = secondValue(code, amount, usd, day);
      assert.equal(found === '-0' ? '0' : found, expected?.replace(/^-(0(\.0+)?)$/, '$1') ?? null, `${code} ${day}`);
    }),
    { numRuns: 5000 },
  );
  for (const day of days) {
    for (const code of CODES)
      assert.equal(
        textOf(code, '1234.567891', '4.301', rates.rateOn(day, code)),
        secondValue(code, '1234.567891', '4.301', day),
      );
  }
});

test('any rates: one rounding, half up, of the exact quotient', () => {
  const rate = fc.bigInt({ min: 1n, max: 10n ** 14n });
  const units = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const decimals = fc.integer({ min: 0, max: 18 });
  fc.assert(
    fc.property(
      units,
      decimals,
      rate,
      rate,
      rate,
      fc.constantFrom(...CODES),
      (quantity, places, price, perEur, usd, code) => {
        const currency = currencyOf(code);
        const found = valueIn(currency, quantity, places, price, { day: '2026-01-02', perEur, usdPerEur: usd });
        const exact = new Decimal(`${quantity}e-${places}`).times(`${price}e-6`);
        const value = code === 'USD' ? exact : exact.times(String(perEur)).dividedBy(String(usd));
        assert.equal(
          String(found),
          value.times(`1e${currency.minorDigits}`).toFixed(0, Decimal.ROUND_HALF_UP).replace('-0', '0'),
        );
      },
    ),
    { numRuns: 3000 },
  );
});

test('amounts in another currency become cents as in a second computation, on every day of the bank and around', () => {
  const days = daysThrough('2025-12-15', '2026-04-30');
  const amount = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 40 }))
    .map(([units, places]) => new Decimal(`${units}e-${places}`));
  const second = (stated: Decimal, code: string, day: string): string | null => {
    if (code === 'USD') return stated.toFixed(2, Decimal.ROUND_HALF_UP);
    for (let back = 0; back <= 7; back++) {
      const { [code]: own, USD } = WRITTEN.get(addDays(day, -back)) ?? {};
      if (own === undefined || own === 'N/A' || USD === undefined) continue;
      return stated.times(USD).dividedBy(own).toFixed(2, Decimal.ROUND_HALF_UP);
    }
    return null;
  };
  const check = (stated: Decimal, code: string, day: string) => {
    const cents = rates.inMinorUnits(stated, code, day);
    const found = cents === null ? null : new Decimal(`${cents}e-2`).toFixed(2);
    assert.equal(found, second(stated, code, day), `${stated} ${code} ${day}`);
  };
  fc.assert(fc.property(amount, fc.constantFrom(...CODES), fc.constantFrom(...days), check), { numRuns: 5000 });
  for (const day of days) for (const code of CODES) check(new Decimal('1234.5678'), code, day);
});

test('a stated amount in a currency of books: their own currency needs no rate, others have the rates of the day', () => {
  const inMinor = (amount: string, from: string, day: string, to: string) =>
    rates.inMinorUnits(new Decimal(amount), from, day, currencyOf(to));
  assert.equal(inMinor('100', 'EUR', '1999-01-01', 'EUR'), 10_000n);
  assert.equal(inMinor('100', 'JPY', '1999-01-01', 'JPY'), 100n);
  assert.equal(inMinor('115.25', 'USD', '2026-04-02', 'EUR'), 10_000n);
  assert.equal(inMinor('1', 'EUR', '2026-04-02', 'JPY'), 184n); // 183.94
  assert.equal(inMinor('100', 'USD', '2024-03-01', 'EUR'), null);
});

test('a stated amount: rounded once, half up; the rate of Good Friday is that of Thursday; no rate is no amount', () => {
  const inCents = (amount: string, code: string, day: string) => rates.inMinorUnits(new Decimal(amount), code, day);
  assert.equal(inCents('100', 'EUR', '2026-04-02'), 11_525n);
  for (const day of ['2026-04-03', '2026-04-04', '2026-04-05', '2026-04-06'])
    assert.equal(inCents('100', 'EUR', day), 11_525n, day);
  assert.equal(inCents('0.2', 'EUR', '2026-04-02'), 23n); // 0.2305
  assert.equal(inCents('0.004338', 'EUR', '2026-04-02'), 0n); // 0.0049995
  assert.equal(inCents('0.00434', 'EUR', '2026-04-02'), 1n); // 0.00500185
  assert.equal(inCents('1000', 'JPY', '2026-04-02'), 627n); // 6.2656…
  assert.equal(inCents('1.005', 'USD', '1999-01-01'), 101n, 'the currency of the books needs no rate');
  for (const day of ['2025-12-18', '2026-04-23', '2024-03-01']) assert.equal(inCents('100', 'EUR', day), null, day);
  assert.equal(inCents('0', 'EUR', '2024-03-01'), null, 'an unknown rate is not zero');
});

test('the worked example, ties, and a currency whose two roundings would differ', () => {
  assert.equal(textOf('JPY', '2.5', '4.301', rates.rateOn('2026-04-03', 'JPY')), '1716');
  const par = { day: '2026-01-02', perEur: 1_000_000n, usdPerEur: 1_000_000n };
  assert.equal(textOf('EUR', '1', '0.005', par), '0.01');
  assert.equal(textOf('EUR', '-1', '0.005', par), '-0.01');
  assert.equal(textOf('JPY', '1', '0.5', par), '1');
  // 0.0045 USD is 0.00 USD at first, but 0.83 yen.
  assert.equal(textOf('JPY', '1', '0.0045', { day: '', perEur: 183_940_000n, usdPerEur: 1_000_000n }), '1');
});

test('the day of the rate: the same day, the last working day before, at most seven days back', () => {
  const dayOf = (day: string, code = 'JPY') => rates.rateOn(day, code)?.day ?? null;
  assert.equal(dayOf('2026-04-02'), '2026-04-02');
  for (const day of ['2026-04-03', '2026-04-04', '2026-04-05', '2026-04-06'])
    assert.equal(dayOf(day), '2026-04-02', day);
  assert.equal(dayOf('2026-04-07'), '2026-04-07');
  assert.equal(dayOf('2026-01-01'), '2025-12-31');
  assert.equal(dayOf('2026-04-22'), '2026-04-15'); // seven days after the last rate
  assert.equal(dayOf('2026-04-23'), null);
  assert.equal(dayOf('2025-12-18'), null); // before the first rate; a later one is never used
  assert.equal(dayOf('2026-04-22', 'EUR'), '2026-04-15');
  assert.equal(dayOf('2026-04-23', 'EUR'), null);
  assert.equal(dayOf('2026-04-02', 'XYZ'), null);
  assert.equal(rates.rateOn('2026-04-02', 'EUR')!.perEur, 1_000_000n);
});

test('a currency that the bank ceased to quote has values for seven more days', () => {
  assert.equal(rates.rateOn('2026-01-07', 'BGN')!.day, '2025-12-31');
  assert.equal(rates.rateOn('2026-01-08', 'BGN'), null);
  const ceased = ratesOf(
    'Date,USD,HRK,RUB\n2023-01-02,1.0683,N/A,N/A\n2022-12-30,1.0666,7.5365,N/A\n2022-03-01,1.1162,7.5660,117.2010\n',
  );
  assert.equal(ceased.rateOn('2023-01-02', 'HRK')!.usdPerEur, 1_066_600n, 'both rates are of the same day');
  assert.equal(ceased.rateOn('2023-01-07', 'HRK'), null);
  assert.equal(ceased.rateOn('2022-03-08', 'RUB')!.day, '2022-03-01');
  assert.equal(ceased.rateOn('2022-03-09', 'RUB'), null);
});

test('a day that lacks one of both rates is passed over; a gap of eight days has no value on its last day', () => {
  const gaps = ratesOf(
    'Date,USD,JPY\n2026-03-12,1.2,180\n2026-03-04,1.1,170\n2026-03-03,N/A,160\n2026-03-02,1.0,150\n',
  );
  assert.equal(gaps.rateOn('2026-03-03', 'JPY')!.day, '2026-03-02');
  assert.equal(gaps.rateOn('2026-03-11', 'JPY')!.day, '2026-03-04');
  assert.equal(gaps.rateOn('2026-03-12', 'JPY')!.day, '2026-03-12');
  const eight = ratesOf('Date,USD,JPY\n2026-03-13,1.2,180\n2026-03-04,1.1,170\n');
  assert.equal(eight.rateOn('2026-03-12', 'JPY'), null);
  assert.equal(textOf('JPY', '1', '4.5', eight.rateOn('2026-03-12', 'JPY')), null);
});

test('without a price nothing has a value; in USD no rate is needed', () => {
  assert.equal(textOf('EUR', '1', null, rates.rateOn('2026-04-02', 'EUR')), null);
  assert.equal(textOf('USD', '1', null, null), null);
  assert.equal(textOf('USD', '1.5', '4.301', null), '6.45');
  assert.equal(textOf('EUR', '0', '4.301', null), null, 'an unknown rate is not zero');
});

test('minor units are those of ISO 4217; a currency of no list has two decimals', () => {
  const codes = rates.currencies.map(({ code }) => code);
  assert.equal(codes.length, 31);
  assert.deepEqual(codes, [...codes].sort());
  assert.deepEqual([rates.lastDay, new ExchangeRates().lastDay], ['2026-04-15', null]);
  const whole = rates.currencies.filter(({ minorDigits }) => minorDigits === 0);
  assert.deepEqual(
    whole.map(({ code }) => code),
    ['ISK', 'JPY', 'KRW'],
  );
  for (const { code, words } of rates.currencies) assert.notEqual(words, code);
  assert.deepEqual(currencyOf('VND'), { code: 'VND', words: 'VND', symbol: 'VND', minorDigits: 2 });
  assert.deepEqual(
    new ExchangeRates().currencies.map(({ code }) => code),
    ['EUR', 'USD'],
  );
});
