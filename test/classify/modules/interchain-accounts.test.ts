/** Packets for an interchain account: no recording holds one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { CosmosTx } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const [ica, bob] = [account('interchain account'), account('bob')];
const [one, two] = [chain.operatorOf(account('one')), chain.operatorOf(account('two'))];
const distribution = chain.module('distribution');
const inMessage = { msg_index: '0' };
const told = (type: string, pairs: Record<string, string>) => event(type, pairs, inMessage);
const pay = (from: string, to: string, amount: string) => send(from, to, amount, inMessage);
const done = told('ics27_packet', { module: 'interchainaccounts', success: 'true' });

const rowsOf = (...events: ChainEventRecord[]) => rowsOfPacket({}, ...events);

function rowsOfPacket(value: object, ...events: ChainEventRecord[]) {
  const relayed = transaction([message(MsgRecvPacket.typeUrl, value)], [...events, done]);
  const { events: rows, unclassified } = classifyBlock(block([], [relayed]), chain);
  assert.equal(unclassified.size, 0);
  return rows.map((row) => [row.category, row.address, row.counterparty ?? row.validator, row.reward_trigger]);
}

const reward = (validator: string, amount: string) => [
  ...pay(distribution, ica, amount),
  told('withdraw_rewards', { amount, validator, delegator: ica }),
];

test('staking of an interchain account is its own', () => {
  const rows = rowsOf(
    ...reward(one, '3uatom'),
    ...pay(ica, chain.module('bonded_tokens_pool'), '100uatom'),
    told('delegate', { validator: one, delegator: ica, amount: '100uatom' }),
    ...reward(two, '4uatom'),
    told('redelegate', { source_validator: two, destination_validator: one, amount: '50uatom' }),
  );
  assert.deepEqual(rows, [
    ['staking_reward', ica, one, 'interchain_account'],
    ['delegate', ica, one, null],
    ['staking_reward', ica, two, 'interchain_account'],
    ['redelegate', ica, one, null],
  ]);
});

test('its bank messages are transfers, its gift to the community pool a deposit there', () => {
  const share = `7${one}/4`;
  assert.deepEqual(rowsOf(...pay(ica, bob, '5uatom'), ...pay(ica, bob, share), ...pay(ica, distribution, '6uatom')), [
    ['transfer_out', ica, bob, null],
    ['transfer_in', bob, ica, null],
    ['share_transfer_out', ica, bob, null],
    ['share_transfer_in', bob, ica, null],
    ['community_pool_deposit', ica, distribution, null],
  ]);
});

test('what it sends a module that takes coins from anybody is a transfer, a deposit is none', () => {
  const [gov, consumers] = [chain.module('gov'), chain.module('consumer_rewards_pool')];
  const deposit = told('proposal_deposit', { depositor: ica, amount: '7uatom', proposal_id: '3' });
  assert.deepEqual(
    rowsOf(...pay(ica, gov, '7uatom'), deposit, ...pay(ica, gov, '5uatom'), ...pay(ica, consumers, '6ibc/A')),
    [
      ['gov_deposit', ica, gov, null],
      ['transfer_out', ica, gov, null],
      ['transfer_out', ica, consumers, null],
    ],
  );
});

test('what it sends itself moves nothing', () => {
  assert.deepEqual(rowsOf(...pay(ica, ica, '5uatom')), [['self_transfer', ica, null, null]]);
});

test('its commission is that of the validators that the packet names, whoever is paid', () => {
  const messages = [ica, bob].map((operator) => ({
    typeUrl: MsgWithdrawValidatorCommission.typeUrl,
    value: MsgWithdrawValidatorCommission.encode({ validatorAddress: chain.operatorOf(operator) }).finish(),
  }));
  const data = Buffer.from(CosmosTx.encode({ messages }).finish()).toString('base64');
  const json = JSON.stringify({ type: 'TYPE_EXECUTE_TX', data, memo: '' });
  const packet = { destinationPort: 'icahost', data: new TextEncoder().encode(json) };
  const [own, others] = ['8uatom', '9uatom'].map((amount) => told('withdraw_commission', { amount }));
  const paid = [...pay(distribution, ica, '8uatom'), own!, ...pay(distribution, ica, '9uatom'), others!];
  assert.deepEqual(rowsOfPacket(MsgRecvPacket.fromPartial({ packet }), ...paid), [
    ['validator_commission', ica, chain.operatorOf(ica), 'interchain_account'],
    ['validator_commission', bob, chain.operatorOf(bob), 'interchain_account'],
    ['reward_redirected', bob, ica, null],
    ['redirected_reward_in', ica, bob, null],
  ]);
});

test('it sends coins to a third chain', () => {
  const escrow = chain.escrow('transfer', 'channel-9');
  const rows = rowsOf(
    ...pay(ica, escrow, '5uatom'),
    told('send_packet', { packet_src_port: 'transfer', packet_src_channel: 'channel-9', packet_sequence: '1' }),
    told('ibc_transfer', { sender: ica, receiver: 'osmo1x', amount: '5', denom: 'uatom' }),
  );
  assert.deepEqual(rows, [['ibc_out', ica, 'osmo1x', null]]);
});
