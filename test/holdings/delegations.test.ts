/** Delegations as texts: a million of them are kept, whatever strangers give validators. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { account, block, event, openSmallChain, operator, validatorsOf } from './small-chain.js';

/** A gift to a validator's rewards pool (x/distribution DepositValidatorRewardsPool), of which it takes no commission. */
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
  // A checkpoint numbers denoms by their names: uatom comes behind all of them.
  const lines = [...serializeState(state)].filter((line) => line.startsWith('['));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)[0]),
    [account(1), account(2)],
  );
  assert.ok(lines[1]!.length < 150, `${lines[1]!.length} characters`);
});
