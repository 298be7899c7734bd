/** Packed delegations stay small, even if strangers add denoms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { serializeState } from '../../pipeline/holdings/checkpoint.js';
import { packedNumbers } from '../../pipeline/holdings/delegations.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { account, block, event, openSmallChain, operator, validatorsOf } from './small-chain.js';

/** A gift to a validator's rewards pool (DepositValidatorRewardsPool), without commission. */
const gift = (validator: string, amount: string) => [
  event('commission', { amount: '', validator, msg_index: '0' }),
  event('rewards', { amount, validator, msg_index: '0' }),
];
const claim = (number: number, amount: string) =>
  event('withdraw_rewards', { amount, validator: operator(number), delegator: account(number), msg_index: '0' });

test('thousands of denoms that a stranger gives one validator take no room in the delegations at others', () => {
  const strange = Array.from({ length: 3000 }, (_, i) => `5000000.000000000000000000ibc/${10_000 + i}`).join();
  const state = openSmallChain(validatorsOf(5n, 5n));
  const given = [...gift(operator(1), strange), ...gift(operator(2), '5000000.000000000000000000uatom')];
  foldBlock(state, block(1, { transaction: { events: given } }), () => {});
  foldBlock(state, block(2, { transaction: { events: [claim(2, '5000000uatom')] } }), () => {});
  // A checkpoint sorts denoms by name: uatom is the last one.
  const lines = [...serializeState(state)].filter((line) => line.startsWith('['));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)[0]),
    [account(1), account(2)],
  );
  assert.ok(lines[1]!.length < 150, `${lines[1]!.length} characters`);
});

/** Zeros, small numbers and numbers of all lengths of shares, stakes and ratios. */
const numbers = fc.array(fc.oneof(fc.constant(0n), fc.bigInt(0n, 1n << 52n), fc.bigInt(0n, 1n << 160n)));

test('numbers come back as they were, but for zeros at the end', () => {
  fc.assert(
    fc.property(numbers, (list) => {
      const text = packedNumbers.pack(list);
      const back = packedNumbers.unpack(text);
      assert.deepEqual([...back, ...list.slice(back.length).map(() => 0n)], list);
      assert.notEqual(back.at(-1), 0n);
      if (back.length > 0) assert.equal(packedNumbers.first(text), list[0]);
    }),
  );
});

test('lists that differ in zeros at the end alone are one text', () => {
  assert.equal(packedNumbers.pack([5n, 0n, 32n, 0n, 0n]), '5,-1,10');
  assert.equal(packedNumbers.pack([0n, 0n]), '');
});

test('thousands of zeros take no more room than a few', () => {
  const list = [7n, ...Array.from({ length: 5000 }, () => 0n), 9n];
  assert.ok(packedNumbers.pack(list).length < 10);
  assert.deepEqual(packedNumbers.unpack(packedNumbers.pack(list)), list);
});

test('numbers around what a double holds, and around where a text is cut', () => {
  for (const bits of [49n, 50n, 51n, 52n, 53n, 54n, 63n, 64n, 99n, 100n, 101n, 150n]) {
    const list = [(1n << bits) - 1n, 1n << bits, (1n << bits) + 1n];
    assert.deepEqual(packedNumbers.unpack(packedNumbers.pack(list)), list);
  }
});
