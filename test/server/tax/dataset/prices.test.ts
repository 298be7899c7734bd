import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Prices } from '../../../../server/tax/dataset/prices.js';

const day = fc.integer({ min: 0, max: 60 }).map((n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10));

test('the last day with a price is the one that a look at each of them finds', () => {
  fc.assert(
    fc.property(fc.uniqueArray(day), day, (priced, until) => {
      const prices = Prices.parse(JSON.stringify(priced.sort().map((of) => [of, '2500000'])));
      const expected = priced.filter((of) => of <= until).at(-1);
      assert.equal(prices.lastDayUntil(until), expected);
      assert.deepEqual([...prices.keys()], priced);
    }),
  );
});
