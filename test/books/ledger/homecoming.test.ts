/** What a page proposes about coins that came back, in cases, and in random journeys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Movement, mayReturn, probableReturns } from '../../../pipeline/books/ledger/homecoming.js';

const movement = (id: string, day: string, quantity: bigint, more: Partial<Movement> = {}): Movement => ({
  ...{ id, owner: 'A', denom: 'uatom', quantity, day, channel: 'channel-141' },
  ...more,
});
const SENT = [movement('s1', '2026-01-10', 100n), movement('s2', '2026-03-01', 20n)];

const CASES: readonly [title: string, receipt: Movement, isProbable: boolean][] = [
  ['an equal amount', movement('r', '2026-02-01', 100n), true],
  ['a smaller amount', movement('r', '2026-02-01', 1n), true],
  ['on the day of the send', movement('r', '2026-01-10', 100n), true],
  ['a greater amount', movement('r', '2026-02-01', 101n), false],
  ['no more than two sends together', movement('r', '2026-03-01', 120n), true],
  ['before the send', movement('r', '2026-01-09', 100n), false],
  ['after a year, to the day', movement('r', '2027-01-10', 100n), true],
  ['after more than a year', movement('r', '2027-01-11', 100n), false],
  ['over another channel', movement('r', '2026-02-01', 100n, { channel: 'channel-0' }), false],
  ['from another sender than the own key', movement('r', '2026-02-01', 100n, { channel: '' }), false],
  ['another coin', movement('r', '2026-02-01', 100n, { denom: 'uosmo' }), false],
  ['another wallet', movement('r', '2026-02-01', 100n, { owner: 'B' }), false],
];
for (const [title, receipt, isProbable] of CASES)
  test(`a receipt is ${isProbable ? '' : 'not '}proposed: ${title}`, () => {
    assert.equal(probableReturns(SENT, [receipt]).has('r'), isProbable);
  });

test('coins that one receipt takes are no longer there for the next one', () => {
  const receipts = [60n, 41n, 40n].map((quantity, i) => movement(`r${i}`, '2026-02-01', quantity));
  assert.deepEqual([...probableReturns(SENT, receipts)], ['r0', 'r2']);
});

test('no more is proposed than was sent, in random journeys', () => {
  const some = (kind: string) =>
    fc
      .array(
        fc.record({
          quantity: fc.bigInt(1n, 50n),
          day: fc.integer({ min: 1, max: 28 }).map((day) => `2026-01-${String(day).padStart(2, '0')}`),
          channel: fc.constantFrom('', 'channel-1', 'channel-2'),
          denom: fc.constantFrom('uatom', 'uosmo'),
        }),
        { maxLength: 8 },
      )
      .map((all) =>
        all.map((one, i) => ({ owner: 'A', id: `${kind}${i}`, ...one })).sort((a, b) => (a.day < b.day ? -1 : 1)),
      );
  fc.assert(
    fc.property(some('s'), some('r'), (sends, receipts) => {
      const probable = receipts.filter(({ id }) => probableReturns(sends, receipts).has(id));
      const total = (list: readonly Movement[], of: Movement) =>
        list
          .filter(({ denom, channel, day }) => denom === of.denom && channel === of.channel && day <= of.day)
          .reduce((sum, { quantity }) => sum + quantity, 0n);
      for (const receipt of probable) {
        assert.notEqual(receipt.channel, '');
        assert.ok(total(probable, receipt) <= total(sends, receipt));
      }
    }),
    { numRuns: 1000 },
  );
});

test('a return may name a row that received coins, of four categories', () => {
  assert.equal(mayReturn({ category: 'ibc_in', received_denom: 'uatom' }), true);
  assert.equal(mayReturn({ category: 'unclassified', received_denom: null }), false);
  assert.equal(mayReturn({ category: 'ibc_refund', received_denom: 'uatom' }), false);
});
