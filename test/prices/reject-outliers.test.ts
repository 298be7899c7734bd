import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Decimal, fromUnits } from '../../pipeline/base/values/decimal.js';
import { type DailyQuote, priceDays, type Quote } from '../../pipeline/prices/reject-outliers.js';

const parameters = { outlier_percent: 10, readmit_percent: 5, outlier_minimum_sources: 3, price_decimals: 6 };

/** '10 10.2 11' → quotes of the sources a, b, c. */
const quotes = (text: string): Quote[] =>
  text === '' ? [] : text.split(' ').map((usd, i) => ({ source: String.fromCharCode(97 + i), usd: new Decimal(usd) }));

/** Prices one day. @param before sources that were rejected on the day before */
function priceDay(list: readonly Quote[], before: readonly string[] = []) {
  const daily = list.map(({ source, usd }): [string, [string, DailyQuote][]] => [
    source,
    [['2026-01-02', { usd, fetched: '' }]],
  ]);
  for (const source of before.length > 0 ? ['a', 'b', 'c'] : []) {
    const usd = new Decimal(before.includes(source) ? 4 : 2);
    const quotes = daily.find(([name]) => name === source)?.[1];
    if (quotes) quotes.push(['2026-01-01', { usd, fetched: '' }]);
    else daily.push([source, [['2026-01-01', { usd, fetched: '' }]]]);
  }
  const prices = priceDays(new Map(daily.map(([source, quotes]) => [source, new Map(quotes)])), parameters);
  return prices.get('2026-01-02') ?? { usd: null, sources: [], rejected: [] };
}

/** 'usd sources rejected' of a day, usd in micro-USD. */
function day(text: string, before: string[] = []): string {
  const { usd, sources, rejected } = priceDay(quotes(text), before);
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
      ([list, shuffled]) => assert.deepEqual(priceDay(shuffled), priceDay(list)),
    ),
    seeded,
  );
});

test('two or more honest sources: the price stays within what they say, whatever one other source says', () => {
  const honest = fc.tuple(price, fc.array(fc.bigInt(0n, 40n), { minLength: 2, maxLength: 6 }));
  fc.assert(
    fc.property(honest, fc.bigInt(0n, 10n ** 18n), ([level, offsets], lie) => {
      const values = offsets.map((thousandths) => (level * (1000n + thousandths)) / 1000n);
      const { usd } = priceDay(quotesOf([...values, lie]));
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
      const { usd: whole, rejected } = priceDay(all);
      if (whole === null || rejected.length > 0) return;
      const bound = (whole * BigInt(parameters.outlier_percent)) / 100n + 1n;
      for (const missing of all) {
        const rest = all.filter((quote) => quote !== missing);
        const { usd } = priceDay(rest);
        if (usd === null) continue;
        assert.ok(usd - whole <= bound && whole - usd <= bound, `${whole} ${usd}`);
        moved++;
      }
    }),
    seeded,
  );
  assert.ok(moved > 3000, String(moved));
});

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'];
const SOURCES = ['a', 'b', 'c', 'd'];
/** Nights on which a quote may come: of days 0 to 5 the first may be asked for on night 1. */
const night = (number: number) => `2026-01-${String(number + 1).padStart(2, '0')} 01:00:00`;

/** The quote that a source would give for a day, in hundredths, and how many nights late it does so. */
const said = fc.option(fc.tuple(fc.integer({ min: 360, max: 440 }), fc.integer({ min: 0, max: 4 })), { freq: 5 });
const table = fc.array(fc.array(said, { minLength: DAYS.length, maxLength: DAYS.length }), {
  minLength: SOURCES.length,
  maxLength: SOURCES.length,
});

test('night by night, as quotes come in while a day has no price: what was published once stays', () => {
  fc.assert(
    fc.property(table, (market) => {
      const known = new Map(SOURCES.map((source) => [source, new Map<string, DailyQuote>()]));
      const published = new Map<string, bigint>();
      for (let now = 1; now <= DAYS.length + 4; now++) {
        const before = priceDays(known, parameters);
        for (const [i, source] of SOURCES.entries()) {
          for (const [d, day] of DAYS.entries()) {
            const [hundredths, late] = market[i]![d] ?? [0, Number.POSITIVE_INFINITY];
            const isOpen = (before.get(day)?.usd ?? null) === null;
            if (!isOpen || known.get(source)!.has(day) || d + 1 + late > now) continue;
            known.get(source)!.set(day, { usd: new Decimal(hundredths).dividedBy(100), fetched: night(now) });
          }
        }
        const after = priceDays(known, parameters);
        for (const [day, usd] of published) assert.equal(after.get(day)?.usd, usd, `${day} on night ${now}`);
        for (const [day, { usd }] of after) if (usd !== null) published.set(day, usd);
      }
    }),
    seeded,
  );
});

test('of quotes fetched at one time, files among them, each day remembers the day before', () => {
  const quote = (usd: string, fetched: string) => ({ usd: new Decimal(usd), fetched });
  const quotes = (fetched: string) =>
    new Map(
      [
        ['a', '2', '2'],
        ['b', '2', '2'],
        ['c', '9', '2.14'],
      ].map(([source, ...prices]) => [source!, new Map(prices.map((usd, i) => [DAYS[i]!, quote(usd, fetched)]))]),
    );
  for (const fetched of ['', night(9)]) {
    const priced = [...priceDays(quotes(fetched), parameters)].map(([day, { rejected }]) => [day, rejected]);
    assert.deepEqual(priced, [
      [DAYS[0], ['c']],
      [DAYS[1], ['c']],
    ]);
  }
});
