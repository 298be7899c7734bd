import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOf } from '../../pipeline/reports/coverage.js';

const extent = (missing: { from: number; to: number }[], starting_height: number | null = 0) => ({
  index_start: '2025-12-31',
  index_end: '2026-04-14',
  coverage: { first_height: 1, last_height: 1000, starting_height, missing },
  holdings_until: starting_height === null ? null : 1000,
  holdings_stop: null,
});

test('an index without gaps is complete', () => {
  assert.deepEqual(coverageOf(extent([])), {
    index_start: '2025-12-31',
    index_end: '2026-04-14',
    complete: true,
    holdings_until: 1000,
    note: 'Every block from 2025-12-31 to 2026-04-14 is indexed. Coins acquired before the index are not represented as lots.',
  });
});

test('an index without a starting state has no balances', () => {
  assert.match(
    coverageOf(extent([], null)).note,
    /as lots\. The chain's state before it is not known, so there are no balances\.$/,
  );
});

test('holdings that end before the index are told with the reason', () => {
  const holdings_stop = { height: 700, day: '2026-03-01', reason: 'block 700, EndBlock: bonded pool' };
  const { complete, holdings_until, note } = coverageOf({ ...extent([]), holdings_until: 699, holdings_stop });
  assert.deepEqual([complete, holdings_until], [true, 699]);
  assert.match(note, /proved up to block 699 and end there, .* \(block 700, EndBlock: bonded pool\)\. After it /);
});

test('gaps are named', () => {
  const { complete, note } = coverageOf(
    extent([
      { from: 5, to: 9 },
      { from: 12, to: 12 },
    ]),
  );
  assert.equal(complete, false);
  assert.match(note, /without the blocks 5 to 9, 12:/);
});
