import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const validator = account('validator', 'cosmosvaloper');
const record = chain.shareRecordAccount('1');

test('what a share record withdraws is noted by denom, what a wallet withdraws is a row', () => {
  const [alice, bob] = [account('alice'), account('bob')];
  const reward = (delegator: string, amount: string) => [
    ...send(chain.module('distribution'), delegator, amount, { msg_index: '0' }),
    event('withdraw_rewards', { amount, validator, delegator }, { msg_index: '0' }),
  ];
  const sum = { withdraw_address: bob, amount: '5uatom,7uosmo' };
  const passedOn = event('withdraw_tokenize_share_reward', sum, { msg_index: '0' });
  const events = [
    ...reward(record, `1${'0'.repeat(38)}factory/x/huge,5uatom,7uosmo`),
    ...send(record, bob, '5uatom,7uosmo', { msg_index: '0' }),
    passedOn,
    ...reward(alice, '3uatom'),
  ];
  const found = classifyBlock(
    block([], [transaction([message('/cosmos.authz.v1beta1.MsgExec')], [event('tx', {}), ...events])]),
    chain,
  );
  const where = { height: 7, place: 0, event: 3, time: '2026-01-02 03:04:05', validator, delegator: record };
  assert.deepEqual(found.shareRewards, [
    { ...where, denom: 'uatom', amount: 5n },
    { ...where, denom: 'uosmo', amount: 7n },
  ]);
  assert.deepEqual(
    found.events.map((row) => [row.address, row.received_amount]),
    [
      [bob, 5n],
      [bob, 7n],
      [alice, 3n],
    ],
  );
});

test('a share record that has earned nothing is no payout', () => {
  const nothing = event('withdraw_rewards', { amount: '', validator, delegator: record });
  const closing = event('withdraw_tokenize_share_reward', { withdraw_address: account('bob') });
  assert.deepEqual(classifyBlock(block([nothing, closing]), chain).shareRewards, []);
});
