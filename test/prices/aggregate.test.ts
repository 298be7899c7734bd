import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Decimal, fromUnits } from '../../pipeline/ledger/decimal.js';
import { aggregateDay } from '../../pipeline/prices/aggregate.js';
import type { Quote } from '../../pipeline/prices/price-source.js';

const parameters = { outlier_percent: 10, readmit_percent: 5, outlier_minimum_sources: 3, price_decimals: 6 };

/** '10 10.2 11' → quotes of the sources a, b, c. */
const quotes = (text: string): Quote[] =>
  text === '' ? [] : text.split(' ').map((usd, i) => ({ source: String.fromCharCode(97 + i), usd: new Decimal(usd) }));

/** 'usd sources rejected' of a day, usd in micro-USD. */
function day(text: string, before: string[] = []): string {
  const { usd, sources, rejected } = aggregateDay(quotes(text), parameters, new Set(before));
  return `${usd} ${sources.join(',')} ${rejected.join(',')}`.trim();
}

const worked: [string, string, string][] = [
  ['no quote', '', 'null'],
  ['one quote is published', '1.98', '1980000 a'],
  ['two agree: their mean', '2.00 2.10', '2050000 a,b'],
  ['two exactly 10 % apart are published', '2.00 2.20', '2100000 a,b'],
  ['two more than 10 % apart are not', '2.00 2.2000001', 'null a,b'],
  ['three: the middle one', '2.00 2.10 2.05', '2050000 a,b,c'],
  ['four: mean of the middle two', '2.00 2.10 2.05 2.02', '2035000 a,b,c,d'],
  ['a quote a hundred times too high', '2.00 2.02 202', '2010000 a,b c'],
  ['a quote a hundred times too low', '0.02 2.00 2.02', '2010000 b,c a'],
  ['a high and a low one among five', '0.01 10 10.1 10.2 1000', '10100000 b,c,d a,e'],
  ['exactly 10 % off the median of the rest stays', '10 10 11', '10000000 a,b,c'],
  ['a hair more does not', '10 10 11.000001', '10000000 a,b c'],
  ['the spot of the morning against two closes of a crash', '2.946 2.929 4.06', '2937500 a,b c'],
  ['three that disagree: what is left disagrees too', '1 10 100', 'null a,b c'],
  ['equally far on both sides: both go', '5 10 15', '10000000 b a,c'],
  ['two camps: nobody is left', '1 1 3 3', 'null  a,b,c,d'],
  ['rounded once, half up', '0.0000015 0.0000016', '2 a,b'],
  ['a mean of halves is not rounded twice', '1.0000004 1.0000005', '1000000 a,b'],
  ['half up at the seventh decimal', '1.0000005', '1000001 a'],
  ['rounds to zero: not published', '0.0000004', 'null a'],
  ['a source that says 0 is an outlier', '0 2 2', '2000000 b,c a'],
];
for (const [name, given, expected] of worked) test(name, () => assert.equal(day(given), expected));

test('a source rejected the day before comes back within 5 % only', () => {
  assert.equal(day('2.00 2.00 2.14'), '2000000 a,b,c');
  assert.equal(day('2.00 2.00 2.14', ['c']), '2000000 a,b c');
  assert.equal(day('2.00 2.00 2.10', ['c']), '2000000 a,b,c');
  assert.equal(day('2.14', ['a']), '2140000 a', 'with fewer than three nothing can be judged');
});

/** Values in units of 10^-12 USD → quotes of the sources s0, s1, … */
const quotesOf = (values: readonly bigint[]): Quote[] =>
  values.map((units, i) => ({ source: `s${i}`, usd: fromUnits(units, 12) }));

/** Least and greatest of at least one value. */
function extremes(values: readonly bigint[]): [bigint, bigint] {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : 1));
  return [sorted[0]!, sorted.at(-1)!];
}

/** Prices from 0.001 to 1000 USD. */
const price = fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n });
const seeded = { seed: 20260101, numRuns: 2000 };

test('the order of the sources has no influence', () => {
  const wild = fc.array(price, { maxLength: 7 }).map(quotesOf);
  fc.assert(
    fc.property(
      wild.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
      ([list, shuffled]) => assert.deepEqual(aggregateDay(shuffled, parameters), aggregateDay(list, parameters)),
    ),
    seeded,
  );
});

test('two or more honest sources: the price stays within what they say, whatever one other source says', () => {
  const honest = fc.tuple(price, fc.array(fc.bigInt(0n, 40n), { minLength: 2, maxLength: 6 }));
  fc.assert(
    fc.property(honest, fc.bigInt(0n, 10n ** 18n), ([level, offsets], lie) => {
      const values = offsets.map((thousandths) => (level * (1000n + thousandths)) / 1000n);
      const { usd } = aggregateDay(quotesOf([...values, lie]), parameters);
      const unit = 10n ** 6n;
      const [low, high] = extremes(values);
      const isWild = lie * 100n < low * 85n || lie * 100n > high * 115n;
      const [least, most] = isWild ? [low, high] : extremes([...values, lie]);
      assert.notEqual(usd, null);
      assert.ok(usd! * unit >= least - unit && usd! * unit <= most + unit);
    }),
    seeded,
  );
});

test('where none is rejected, one of three or more sources less moves the day by 10 % at most, or leaves no price', () => {
  let moved = 0;
  const offsets = fc
    .integer({ min: 5, max: 300 })
    .chain((spread) => fc.array(fc.bigInt(0n, BigInt(spread)), { minLength: 3, maxLength: 7 }));
  fc.assert(
    fc.property(price, offsets, (level, thousandths) => {
      const all = quotesOf(thousandths.map((t) => (level * (1000n + t)) / 1000n));
      const { usd: whole, rejected } = aggregateDay(all, parameters);
      if (whole === null || rejected.length > 0) return;
      const bound = (whole * BigInt(parameters.outlier_percent)) / 100n + 1n;
      for (const missing of all) {
        const rest = all.filter((quote) => quote !== missing);
        const { usd } = aggregateDay(rest, parameters);
        if (usd === null) continue;
        assert.ok(usd - whole <= bound && whole - usd <= bound, `${whole} ${usd}`);
        moved++;
      }
    }),
    seeded,
  );
  assert.ok(moved > 3000, String(moved));
});
