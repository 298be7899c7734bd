/** Share records have no limit to their number: a transaction says by itself which of its accounts belong to one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from './events.js';

const validator = account('validator', 'cosmosvaloper');
const [alice, distribution] = [account('alice'), chain.module('distribution')];
/** A record of the real chain that paid its owner in July 2026, and its account. */
const RECORD = '59712';
const record = chain.shareRecordAccount(RECORD);
const token = `${validator}/${RECORD}`;
const AT = { msg_index: '0' };

const classified = (type: string, events: readonly ChainEventRecord[]) =>
  classifyBlock(block([], [transaction([message(type)], events)]), chain);

const rowsOf = (type: string, events: readonly ChainEventRecord[]) =>
  classified(type, events).events.map(({ address, category, sent_amount, received_amount }) => ({
    address,
    category,
    sent_amount,
    received_amount,
  }));

const withdrawal = (delegator: string, amount: string) => [
  ...(amount === '' ? [] : send(distribution, delegator, amount, AT)),
  event('withdraw_rewards', { amount, validator, delegator }, AT),
];

test('rewards of records that were made before the index reach their owner, and make no wallet', () => {
  const others = ['59713', '7'].map(chain.shareRecordAccount);
  const events = [
    ...[record, ...others].flatMap((one) => [...withdrawal(one, '5uatom'), ...send(one, alice, '5uatom', AT)]),
    event('withdraw_tokenize_share_reward', { withdraw_address: alice, amount: '15uatom' }, AT),
  ];
  const rows = rowsOf('/gaia.liquid.v1beta1.MsgWithdrawAllTokenizeShareRecordReward', events);
  assert.deepEqual(
    rows.map((row) => [row.address, row.category, row.received_amount]),
    [1, 2, 3].map(() => [alice, 'liquid_stake_reward', 5n]),
  );
});

test('what the owner, a contract too, withdraws for itself in the same message stays its own', () => {
  const contract = chain.shareRecordAccount('not a record'); // 32 bytes, as contracts have
  const events = [
    ...withdrawal(contract, '3uatom'),
    ...withdrawal(record, '5uatom'),
    ...send(record, contract, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: contract, amount: '5uatom' }, AT),
  ];
  const rows = rowsOf('/cosmwasm.wasm.v1.MsgExecuteContract', events);
  assert.deepEqual(
    rows.map((row) => [row.address, row.category, row.received_amount]),
    [
      [contract, 'staking_reward', 3n],
      [contract, 'liquid_stake_reward', 5n],
    ],
  );
});

test('so does what another contract withdraws that the owner calls', () => {
  const [vault, owner] = ['a vault', 'an owner'].map(chain.shareRecordAccount) as [string, string];
  for (const harvest of [
    [event('execute', { _contract_address: vault }, AT), ...withdrawal(vault, '3uatom')],
    [
      event('execute', { _contract_address: vault }, AT),
      ...withdrawal(vault, '3uatom'),
      ...send(vault, owner, '3uatom', AT),
    ],
    withdrawal(vault, '3uatom'), // by a grant, without running
    [...withdrawal(vault, '3uatom'), ...send(vault, owner, '3uatom', AT)],
    [...withdrawal(vault, '3uatom'), ...send(vault, owner, '2uatom', AT)],
  ]) {
    const events = [
      event('execute', { _contract_address: owner }, AT),
      ...harvest,
      ...withdrawal(record, '5uatom'),
      ...send(record, owner, '5uatom', AT),
      event('withdraw_tokenize_share_reward', { withdraw_address: owner, amount: '5uatom' }, AT),
    ];
    const block = classified('/cosmwasm.wasm.v1.MsgExecuteContract', events);
    const [first] = block.events;
    assert.deepEqual([first?.address, first?.category, first?.received_amount], [vault, 'staking_reward', 3n]);
    assert.deepEqual(
      block.shareRewards.map(({ delegator }) => delegator),
      [record],
    );
  }
});

test('an interchain account that sends itself a reward before it withdraws those of its records stays a wallet', () => {
  const owner = chain.shareRecordAccount('an interchain account');
  const events = [
    ...withdrawal(owner, '3uatom'),
    ...send(owner, owner, '3uatom', AT),
    ...withdrawal(record, '5uatom'),
    ...send(record, owner, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: owner, amount: '5uatom' }, AT),
    event('ics27_packet', { success: 'true' }, AT),
  ];
  assert.deepEqual(
    rowsOf('/ibc.core.channel.v1.MsgRecvPacket', events).map((row) => [row.address, row.category, row.received_amount]),
    [
      [owner, 'staking_reward', 3n],
      [owner, 'self_transfer', 3n],
      [owner, 'liquid_stake_reward', 5n],
    ],
  );
});

test('the last record that is redeemed sends on what it has, and no account before it is a record', () => {
  const vault = chain.shareRecordAccount('a vault');
  const events = [
    event('execute', { _contract_address: alice }, AT),
    ...withdrawal(vault, '3uatom'),
    ...send(vault, alice, '3uatom', AT),
    ...withdrawal(record, '5uatom'),
    ...send(chain.module('bonded_tokens_pool'), chain.module('not_bonded_tokens_pool'), '9uatom', AT),
    ...send(record, alice, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: alice, amount: '5uatom' }, AT),
  ];
  const found = classified('/cosmwasm.wasm.v1.MsgExecuteContract', events);
  assert.deepEqual(
    found.shareRewards.map(({ delegator }) => delegator),
    [record],
  );
});

test('records of two owners in one message, one of them without a reward', () => {
  const other = chain.shareRecordAccount('59713');
  const events = [
    ...withdrawal(record, '5uatom'),
    ...send(record, alice, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: alice, amount: '5uatom' }, AT),
    ...withdrawal(chain.shareRecordAccount('59714'), ''),
    ...withdrawal(other, '7uatom'),
    ...send(other, account('bob'), '7uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: account('bob'), amount: '7uatom' }, AT),
  ];
  assert.deepEqual(
    rowsOf('/cosmwasm.wasm.v1.MsgExecuteContract', events).map((row) => [
      row.address,
      row.category,
      row.received_amount,
    ]),
    [
      [alice, 'liquid_stake_reward', 5n],
      [account('bob'), 'liquid_stake_reward', 7n],
    ],
  );
});

test('a record that tokenizing makes and redeeming ends has no row', () => {
  const pool = chain.module('not_bonded_tokens_pool');
  const through = (...accounts: string[]) => accounts.slice(1).flatMap((to, i) => send(accounts[i]!, to, '9uatom', AT));
  const tokenize = [
    ...through(pool, alice, record, pool),
    ...send(chain.module('mint'), alice, `9${token}`, AT),
    event(
      'tokenize_shares',
      { delegator: alice, validator, share_owner: alice, share_record_id: RECORD, tokenized_shares: `9${token}` },
      AT,
    ),
  ];
  const redeem = [
    ...withdrawal(record, '2uatom'),
    ...through(pool, record, alice, pool),
    ...send(alice, chain.module('mint'), `9${token}`, AT),
    event('redeem_shares', { delegator: alice, validator, amount: `9${token}` }, AT),
  ];
  for (const [type, events] of [
    ['TokenizeShares', tokenize],
    ['RedeemTokensForShares', redeem],
  ] as const) {
    const rows = rowsOf(`/gaia.liquid.v1beta1.Msg${type}`, events);
    assert.deepEqual([...new Set(rows.map(({ address }) => address))], [alice], type);
  }
});
