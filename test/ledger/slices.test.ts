import assert from 'node:assert/strict';
import { test } from 'node:test';
import { termOf } from '../../pipeline/ledger/slices.js';
import { dayOf } from './random-wallets.js';

test('coins of every day of nine years are long from a year after the day that followed it', () => {
  for (let n = -400; n < 9 * 365; n++) {
    const acquired = dayOf(n);
    const begins = new Date(`${dayOf(n + 1)}T00:00:00Z`);
    // The calendar takes 29 February of a year that has none for 1 March.
    const long = new Date(begins);
    long.setUTCFullYear(begins.getUTCFullYear() + 1);
    const first = long.toISOString().slice(0, 10);
    const before = new Date(long.getTime() - 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual([termOf(acquired, before), termOf(acquired, first)], ['SHORT', 'LONG'], acquired);
  }
  assert.deepEqual([termOf('0099-12-31', '0100-12-31'), termOf('0099-12-31', '0101-01-01')], ['SHORT', 'LONG']);
});
