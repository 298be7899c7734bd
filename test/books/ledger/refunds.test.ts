import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { refundsOf } from '../../../pipeline/books/ledger/refunds.js';
import { stories } from './random-wallets.js';
import { replay, rules } from './wallets.js';

test('pairs the same payments and refunds as the replay', () => {
  let pairs = 0;
  fc.assert(
    fc.property(stories(), ({ events, decisions }) => {
      const refunds = refundsOf(events, decisions, rules);
      const restored = replay(events, decisions).entries.filter(({ reverses }) => reverses !== null);
      const ids = (test: (id: string) => boolean) => events.map(({ id }) => id).filter(test);
      const [paid, returned] = [restored.map(({ reverses }) => reverses), restored.map(({ event_id }) => event_id)];
      assert.deepEqual(ids((id) => refunds.isRefunded(id)).sort(), [...new Set(paid)].sort());
      assert.deepEqual(
        ids((id) => refunds.isRefund(id)),
        [...new Set(returned)],
      );
      pairs += returned.length;
    }),
    { numRuns: 1000, seed: 20261230 },
  );
  assert.ok(pairs > 20, String(pairs));
});
