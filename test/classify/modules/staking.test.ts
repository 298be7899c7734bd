/** Undelegations whose messages spell their amounts as few programs do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const [alice, pool, unbonding] = [
  account('alice'),
  chain.module('bonded_tokens_pool'),
  chain.module('not_bonded_tokens_pool'),
];

const UNDELEGATE = '/cosmos.staking.v1beta1.MsgUndelegate';

for (const [spelling, asked] of [
  ['1000', '1000'],
  ['1_000', '1000'],
  ['01750', '1000'],
  ['0x3e9', '1001'],
  ['', '1000'],
] as const) {
  test(`an undelegation of "${spelling}" that pays 1000 is one of ${asked}`, () => {
    const validator = chain.operatorOf(account('other'));
    const value = {
      delegatorAddress: alice,
      validatorAddress: validator,
      amount: { denom: 'uatom', amount: spelling },
    };
    const events = [
      ...send(pool, unbonding, '1000uatom', { msg_index: '0' }),
      event('unbond', { validator, delegator: alice, amount: '1000uatom' }, { msg_index: '0' }),
    ];
    const { events: rows } = classifyBlock(block([], [transaction([message(UNDELEGATE, value)], events)]), chain);
    assert.deepEqual(
      rows.map(({ category, sent_amount, received_amount }) => [category, sent_amount, received_amount]),
      [['undelegate', BigInt(asked), BigInt(asked)]],
    );
  });
}
