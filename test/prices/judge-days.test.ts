import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Decimal } from '../../pipeline/ledger/decimal.js';
import { judgeDays } from '../../pipeline/prices/judge-days.js';
import type { DailyQuote } from '../../pipeline/prices/price-source.js';

const parameters = { outlier_percent: 10, readmit_percent: 5, outlier_minimum_sources: 3, price_decimals: 6 };
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
        const before = judgeDays(known, parameters);
        for (const [i, source] of SOURCES.entries()) {
          for (const [d, day] of DAYS.entries()) {
            const [hundredths, late] = market[i]![d] ?? [0, Number.POSITIVE_INFINITY];
            const isOpen = (before.get(day)?.usd ?? null) === null;
            if (!isOpen || known.get(source)!.has(day) || d + 1 + late > now) continue;
            known.get(source)!.set(day, { usd: new Decimal(hundredths).dividedBy(100), fetched: night(now) });
          }
        }
        const after = judgeDays(known, parameters);
        for (const [day, usd] of published) assert.equal(after.get(day)?.usd, usd, `${day} on night ${now}`);
        for (const [day, { usd }] of after) if (usd !== null) published.set(day, usd);
      }
    }),
    { seed: 20260101, numRuns: 2000 },
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
    const judged = [...judgeDays(quotes(fetched), parameters)].map(([day, { rejected }]) => [day, rejected]);
    assert.deepEqual(judged, [
      [DAYS[0], ['c']],
      [DAYS[1], ['c']],
    ]);
  }
});
