import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../../../pipeline/base/values/day.js';
import {
  coverageOf,
  gapsNote,
  isCovered,
  type TimeRange,
  WHOLE_INDEX,
} from '../../../pipeline/books/reports/coverage.js';

const extent = (missing: { from: number; to: number }[], starting_height: number | null = 0) => ({
  generation: 'h1000-000000000000',
  height: 1000,
  time: '2026-04-14T12:00:00Z',
  index_start: '2025-12-31',
  index_end: '2026-04-14',
  coverage: { first_height: 1, last_height: 1000, starting_height, missing },
  holdings_from: starting_height === null ? null : 1,
  holdings_until: starting_height === null ? null : 1000,
  holdings_stop: null,
});

const days = (start: string | null, end: string | null): TimeRange => ({
  start,
  end,
  from: start === null ? '0000-01-01 00:00:00' : `${start} 00:00:00`,
  to: end === null ? '9999-12-31 23:59:59' : `${end} 23:59:59`,
});

const spanOf = (range: TimeRange) => {
  const { complete, range_complete, covered_from, covered_to } = coverageOf(extent([]), range);
  assert.equal(complete, true);
  return [range_complete, covered_from, covered_to];
};

test('an index without gaps is complete for any range inside it', () => {
  assert.deepEqual(coverageOf(extent([]), WHOLE_INDEX), {
    index_start: '2025-12-31',
    index_end: '2026-04-14',
    complete: true,
    range_complete: true,
    covered_from: '2025-12-31T00:00:00Z',
    covered_to: '2026-04-14T12:00:00Z',
    generation: 'h1000-000000000000',
    height: 1000,
    holdings_from: 1,
    holdings_until: 1000,
    note: 'Every block from 2025-12-31 to 2026-04-14 is indexed. Coins acquired before the index are not represented as lots.',
  });
});

test('a range is complete if all of its days are indexed', () => {
  const [first, last] = ['2025-12-31T00:00:00Z', '2026-04-14T12:00:00Z'];
  assert.deepEqual(spanOf(days('2026-01-01', '2026-01-31')), [true, '2026-01-01T00:00:00Z', '2026-01-31T23:59:59Z']);
  assert.deepEqual(spanOf(days('2025-12-31', '2026-04-13')), [true, first, '2026-04-13T23:59:59Z']);
  assert.deepEqual(spanOf(days('2025-12-30', '2026-01-31')), [false, first, '2026-01-31T23:59:59Z']);
  assert.deepEqual(spanOf(days(null, '2026-04-14')), [false, first, last], 'more blocks of the last day may follow');
  assert.deepEqual(spanOf(days('2026-01-01', null)), [true, '2026-01-01T00:00:00Z', last]);
  assert.deepEqual(spanOf(days('2025-01-01', '2025-12-30')), [false, null, null]);
  assert.deepEqual(spanOf(days('2026-05-01', '2026-05-31')), [false, null, null]);
  assert.deepEqual(spanOf(days('2026-05-01', null)), [false, null, null]);
});

test('a range up to an instant is complete up to the last block', () => {
  const upTo = (to: string) => ({ ...days(null, null), end: to, to });
  assert.deepEqual(spanOf(upTo('2026-04-14 12:00:00')), [true, '2025-12-31T00:00:00Z', '2026-04-14T12:00:00Z']);
  assert.equal(spanOf(upTo('2026-04-14 12:00:01'))[0], false);
});

test('the note names the requested time that is not indexed', () => {
  const { note } = coverageOf(extent([]), days('2025-01-01', '2026-12-31'));
  assert.match(
    note,
    /The requested time before 2025-12-31 is not indexed\. .*The requested time after 2026-04-14T12:00:00Z is not indexed\./,
  );
});

test('a month is covered if all of its days are', () => {
  const month = (from: string, to: string) => isCovered(extent([]), `${from} 00:00:00`, `${to} 23:59:59`);
  assert.deepEqual(
    [month('2025-12-01', '2025-12-31'), month('2026-01-01', '2026-01-31'), month('2026-04-01', '2026-04-30')],
    [false, true, false],
  );
});

test('an index without a starting state has no balances', () => {
  assert.match(
    coverageOf(extent([], null), WHOLE_INDEX).note,
    /as lots\. The chain's state before the index is unknown, so there are no balances\.$/,
  );
});

test('the note names the block at which holdings begin later than the index', () => {
  const later = { ...extent([], 640), holdings_from: 640 };
  const { holdings_from, note } = coverageOf(later, WHOLE_INDEX);
  assert.equal(holdings_from, 640);
  assert.match(
    note,
    /Balances and stakes are known from block 640 on\. Losses of delegations by earlier slashes are rows of the next block\. /,
  );
  assert.doesNotMatch(coverageOf(extent([]), WHOLE_INDEX).note, /known from block/);
});

test('the note names the reason if holdings end before the index', () => {
  const holdings_stop = { height: 700, day: '2026-03-01', reason: 'block 700, EndBlock: bonded pool' };
  const stopped = { ...extent([]), holdings_until: 699, holdings_stop };
  const { complete, holdings_until, note } = coverageOf(stopped, WHOLE_INDEX);
  assert.deepEqual([complete, holdings_until], [true, 699]);
  assert.match(note, /proved up to block 699, .* \(block 700, EndBlock: bonded pool\)\. After it /);
});

test('the note names gaps, and no range is complete with them', () => {
  const gaps = [
    { from: 5, to: 9 },
    { from: 12, to: 12 },
  ];
  const { complete, range_complete, note } = coverageOf(extent(gaps), WHOLE_INDEX);
  assert.deepEqual([complete, range_complete], [false, false]);
  assert.match(note, /except blocks 5 to 9, 12; /);
});

test('days that a price file lacks are named if the range has them', () => {
  const price_gaps = [
    { file: 'beta/cosmos.csv', days: ['2026-02-10'] },
    { file: 'binance/cosmos.csv', days: ['2026-01-05', '2026-02-10', '2026-02-11'] },
  ];
  const noteOf = (range: TimeRange) =>
    coverageOf({ ...extent([]), price_gaps }, range).note.split('not represented as lots.')[1];
  const said = ' Price files lack days that others have: ';
  const files = 'beta/cosmos.csv (2026-02-10), binance/cosmos.csv (2026-01-05 and 2 later days)';
  assert.equal(noteOf(WHOLE_INDEX), `${said}${files}.`);
  assert.equal(noteOf(days('2026-02-11', '2026-02-28')), `${said}binance/cosmos.csv (2026-02-11).`);
  assert.equal(noteOf(days('2026-03-01', '2026-03-31')), '');
});

test('days for whose prices no market could be reached are named if the range has them', () => {
  const coin = (symbol: string, ...days: string[]) => ({ denom: `u${symbol.toLowerCase()}`, symbol, days });
  const unreached_prices = [coin('ATOM', '2026-02-10'), coin('NTRN', '2026-02-10', '2026-02-12')];
  const noteOf = (range: TimeRange, more: typeof unreached_prices = []) =>
    coverageOf({ ...extent([]), unreached_prices: [...unreached_prices, ...more] }, range).note.split(
      'not represented as lots.',
    )[1];
  const said = ' No market could be reached for the price of';
  assert.equal(
    noteOf(WHOLE_INDEX),
    `${said} ATOM, NTRN on 2 days from 2026-02-10 to 2026-02-12; the next run asks again.`,
  );
  assert.equal(noteOf(days('2026-02-11', '2026-02-28')), `${said} NTRN on 2026-02-12; the next run asks again.`);
  assert.equal(noteOf(days('2026-03-01', '2026-03-31')), '');
  const many = ['A', 'B', 'C', 'D', 'E'].map((symbol) => coin(symbol, '2026-02-10'));
  assert.match(noteOf(WHOLE_INDEX, many)!, / of ATOM, NTRN, A, B, C and 2 other coins on /);
});

test('a wallet has a note about tokens with too many digits that it moved, and about those of every wallet', () => {
  const oversized = [
    { height: 5, tx_hash: 'AB', denom: 'factory/x/huge', addresses: ['a', 'b'] },
    { height: 6, tx_hash: 'sum', denom: 'ibc/CD' },
  ];
  const noteFor = (addresses?: string[]) => coverageOf({ ...extent([]), oversized }, WHOLE_INDEX, addresses).note;
  const said = (tokens: string) =>
    `No row has these tokens, because their amounts have more than 38 digits: ${tokens}.`;
  assert.ok(noteFor(['b', 'c']).endsWith(said('factory/x/huge (AB), ibc/CD (sum)')));
  assert.ok(noteFor(['c']).endsWith(said('ibc/CD (sum)')));
  assert.ok(noteFor().endsWith(said('factory/x/huge (AB), ibc/CD (sum)')));
  const many = Array.from({ length: 7 }, (_, i) => ({ height: i, tx_hash: `T${i}`, denom: 'ibc/EF' }));
  const { note } = coverageOf({ ...extent([]), oversized: many }, WHOLE_INDEX);
  assert.match(note, /ibc\/EF \(T4\) and 2 more\.$/);
});

test('the days of a note are those that a comparison of every day with the range finds', () => {
  const day = fc.integer({ min: 0, max: 89 }).map((n) => addDays('2026-01-01', n));
  const time = fc.tuple(day, fc.constantFrom('00:00:00', '05:30:00', '23:59:59')).map((parts) => parts.join(' '));
  const gaps = fc.uniqueArray(day, { minLength: 1, maxLength: 40 }).map((all) => all.sort());
  fc.assert(
    fc.property(gaps, time, time, fc.boolean(), fc.boolean(), (all, one, other, hasStart, hasEnd) => {
      const [from, to] = [one, other].sort() as [string, string];
      const range = { start: hasStart ? from.slice(0, 10) : null, end: hasEnd ? to.slice(0, 10) : null, from, to };
      const found = all.filter(
        (gap) => (!hasStart || `${gap} 23:59:59` >= from) && (!hasEnd || `${gap} 00:00:00` <= to),
      );
      const { note } = coverageOf({ ...extent([]), price_gaps: [{ file: 'a/b.csv', days: all }] }, range);
      const expected = found.length === 0 ? '' : `${gapsNote([{ file: 'a/b.csv', days: found }])}.`;
      assert.equal(note.split('that others have: ')[1] ?? '', expected);
    }),
    { seed: 5, numRuns: 1000 },
  );
});
