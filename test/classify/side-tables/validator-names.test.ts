import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validatorNames } from '../../../pipeline/classify/side-tables/validator-names.js';
import { account, block, message, transaction } from '../events.js';

const alice = account('alice', 'cosmosvaloper');
const bob = account('bob', 'cosmosvaloper');
const create = (validatorAddress: string, moniker: string) =>
  message('/cosmos.staking.v1beta1.MsgCreateValidator', { validatorAddress, description: { moniker } });
const edit = (validatorAddress: string, moniker: string) =>
  message('/cosmos.staking.v1beta1.MsgEditValidator', { validatorAddress, description: { moniker } });

test('names come from successful messages, also authorised ones, in the order of the block', () => {
  const exec = message('/cosmos.authz.v1beta1.MsgExec', {}, [edit(bob.toUpperCase(), 'Bob 2'), edit(alice, '')]);
  const blockOf = (code: number) =>
    block([], [transaction([create(alice, 'Alice'), message('/cosmos.bank.v1beta1.MsgSend'), exec], [], code)]);
  assert.deepEqual(validatorNames(blockOf(0)), [
    { height: 7, position: 0, validator: alice, moniker: 'Alice' },
    { height: 7, position: 1, validator: bob, moniker: 'Bob 2' },
    { height: 7, position: 2, validator: alice, moniker: '' },
  ]);
  assert.deepEqual(validatorNames(blockOf(5)), []);
});

test('an edit of something else keeps the name', () => {
  assert.deepEqual(validatorNames(block([], [transaction([edit(alice, '[do-not-modify]')], [])])), []);
});
