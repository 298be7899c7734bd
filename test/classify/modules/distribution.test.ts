/** Payouts that no recording holds: to accounts of the chain's own, and the leftover commission of a validator that is removed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord, Message } from '../../../pipeline/chain/block.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const [alice, bob, keeper] = [account('alice'), account('bob'), account('keeper')];
const [gone, other] = [chain.operatorOf(keeper), chain.operatorOf(account('other'))];
const [distribution, gov, pool] = ['distribution', 'gov', 'not_bonded_tokens_pool'].map(chain.module) as [
  string,
  string,
  string,
];

/** Category, whose row it is, amounts and validator. */
function rowsOf(events: readonly ChainEventRecord[], messages?: readonly Message[]) {
  const all = messages ? block([], [transaction(messages, events)]) : block(events);
  const { events: rows, unclassified } = classifyBlock(all, chain);
  assert.equal(unclassified.size, 0);
  return rows.map((row) => [
    row.category,
    row.address,
    row.sent_amount === null ? '' : `-${row.sent_amount}${row.sent_denom}`,
    row.received_amount === null ? '' : `${row.received_amount}${row.received_denom}`,
    row.validator,
    row.reward_trigger,
  ]);
}

describe('paid to an account of the chain itself, which a withdraw address may be', () => {
  const inMessage = { msg_index: '0' };

  test('the reward is income, and the same coins leave', () => {
    const claim = message('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', {});
    const events = [
      ...send(distribution, gov, '7ibc/A,9uatom', inMessage),
      event('withdraw_rewards', { amount: '7ibc/A,9uatom', validator: other, delegator: alice }, inMessage),
    ];
    assert.deepEqual(rowsOf(events, [claim]), [
      ['staking_reward', alice, '', '7ibc/A', other, 'claim'],
      ['reward_redirected', alice, '-7ibc/A', '', other, null],
      ['staking_reward', alice, '', '9uatom', other, 'claim'],
      ['reward_redirected', alice, '-9uatom', '', other, null],
    ]);
  });

  test('so is commission', () => {
    const withdraw = message('/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission', { validatorAddress: gone });
    const events = [
      ...send(distribution, gov, '9uatom', inMessage),
      event('withdraw_commission', { amount: '9uatom' }, inMessage),
    ];
    assert.deepEqual(rowsOf(events, [withdraw]), [
      ['validator_commission', keeper, '', '9uatom', gone, 'claim'],
      ['reward_redirected', keeper, '-9uatom', '', gone, null],
    ]);
  });
});

describe('leftover commission at the end of a block', () => {
  const mode = { mode: 'EndBlock' };
  const completed = (delegator: string, validator: string) => [
    ...send(pool, delegator, '100uatom', mode),
    event('complete_unbonding', { amount: '100uatom', validator, delegator }, mode),
  ];
  const commissionRows = (...events: ChainEventRecord[]) =>
    rowsOf(events).filter(([category]) => category !== 'unbonding_complete');
  const paidTo = (address: string) => send(distribution, address, '5uatom', mode);

  test('of the operator whose own stake comes back in that block, to its withdraw address', () => {
    const rows = commissionRows(...paidTo(bob), ...completed(alice, other), ...completed(keeper, gone));
    assert.deepEqual(rows, [
      ['validator_commission', keeper, '', '5uatom', gone, 'validator_removed'],
      ['reward_redirected', keeper, '-5uatom', '', gone, null],
      ['redirected_reward_in', bob, '', '5uatom', gone, null],
    ]);
  });

  test('of the receiver where it is such an operator itself', () => {
    const rows = commissionRows(...paidTo(keeper), ...completed(keeper, gone), ...completed(account('other'), other));
    assert.deepEqual(rows, [['validator_commission', keeper, '', '5uatom', gone, 'validator_removed']]);
  });

  test('of the receiver where no operator gets its stake back, or several do', () => {
    const own = ['validator_commission', bob, '', '5uatom', chain.operatorOf(bob), 'validator_removed'];
    assert.deepEqual(commissionRows(...paidTo(bob), ...completed(alice, gone)), [own]);
    const several = [...completed(keeper, gone), ...completed(account('other'), other)];
    assert.deepEqual(commissionRows(...paidTo(bob), ...several), [own]);
  });
});

describe('leftover commission of a validator that the slash of a redelegation removes', () => {
  /** Two delegators whose coins had gone to two validators; what is left at the second one's is paid after its reward. */
  const slashed = (end: string, more: Readonly<Record<string, string>>) => [
    event('withdraw_rewards', { amount: '', validator: other, delegator: alice }, more),
    ...send(distribution, bob, '3uatom', more),
    event('withdraw_rewards', { amount: '3uatom', validator: gone, delegator: bob }, more),
    ...send(distribution, keeper, '4ibc/A,5uatom', more),
    event('coin_spent', { spender: pool, amount: '9uatom' }, more),
    event('burn', { burner: pool, amount: '9uatom' }, more),
    event(end, { address: 'valcons' }, more),
  ];
  const rows = [
    ['staking_reward', bob, '', '3uatom', gone, 'slash'],
    ['validator_commission', keeper, '', '4ibc/A', gone, 'validator_removed'],
    ['validator_commission', keeper, '', '5uatom', gone, 'validator_removed'],
  ];

  test('at the beginning of a block', () => {
    assert.deepEqual(rowsOf(slashed('slash', { mode: 'BeginBlock' })), rows);
  });

  test('and in a message that tells of a fault on a consumer chain', () => {
    for (const end of [
      'execute_consumer_chain_slash',
      'submit_consumer_double_voting',
      'submit_consumer_misbehaviour',
    ]) {
      const report = message('/interchain_security.ccv.provider.v1.MsgSubmitConsumerDoubleVoting', {});
      assert.deepEqual(rowsOf(slashed(end, { msg_index: '0' }), [report]), rows);
    }
  });

  test('goes where its operator wants it', () => {
    const [, , reward, ...after] = rowsOf([
      ...slashed('slash', { mode: 'BeginBlock' }).slice(0, -5),
      ...send(distribution, alice, '5uatom', { mode: 'BeginBlock' }),
      event('slash', { address: 'valcons' }, { mode: 'BeginBlock' }),
    ]).map(([category, address]) => [category, address]);
    assert.deepEqual(
      [reward, ...after],
      [
        ['reward_redirected', keeper],
        ['redirected_reward_in', alice],
      ],
    );
  });
});

test('what a proposal spends of the community pool is no commission of whom the next one undelegates from', () => {
  const mode = { mode: 'EndBlock' };
  const passed = (proposal_id: string) =>
    event('active_proposal', { proposal_id, proposal_result: 'proposal_passed' }, mode);
  const reward = event('withdraw_rewards', { amount: '', validator: gone, delegator: gov }, mode);
  const unbond = event('unbond', { amount: '9uatom', validator: gone, delegator: gov }, mode);
  const spent = send(distribution, bob, '5uatom', mode);
  const leftover = send(distribution, keeper, '3uatom', mode);
  assert.deepEqual(rowsOf([...spent, reward, ...leftover, unbond, passed('1')]), [
    ['community_pool_income', bob, '', '5uatom', null, null],
    ['validator_commission', keeper, '', '3uatom', gone, 'validator_removed'],
  ]);
});

test('a gift to the delegators of a validator is one whoever gives it, also beside one to the community pool', () => {
  const inMessage = { msg_index: '0' };
  const given = { amount: '7.000000000000000000ibc/A,9.000000000000000000uatom', validator: other };
  const gifts = [
    ...send(alice, distribution, '3uatom', inMessage),
    ...send(alice, distribution, '7ibc/A,9uatom', inMessage),
    event('commission', given, inMessage),
    event('rewards', given, inMessage),
  ];
  const rows = [
    ['community_pool_deposit', alice, '-3uatom', '', null, null],
    ['transfer_out', alice, '-7ibc/A', '', other, null],
    ['transfer_out', alice, '-9uatom', '', other, null],
  ];
  const packet = [...gifts, event('ics27_packet', {}, inMessage)];
  assert.deepEqual(rowsOf(packet, [message('/ibc.core.channel.v1.MsgRecvPacket')]), rows);
  const called = [event('execute', { _contract_address: alice }, inMessage), ...gifts];
  assert.deepEqual(rowsOf(called, [message('/cosmwasm.wasm.v1.MsgExecuteContract')]), rows);
  const granted = [event('execute', { _contract_address: bob }, inMessage), ...gifts];
  assert.deepEqual(rowsOf(granted, [message('/cosmwasm.wasm.v1.MsgExecuteContract')]), rows);
});

describe('a blocked withdraw address (SDK 0.53.8)', () => {
  const mode = { mode: 'EndBlock' };
  const redirected = (to: string) =>
    event(
      'withdraw_addr_redirected',
      { original_withdraw_address: gov, withdraw_address: to, validator: other, delegator: alice },
      mode,
    );
  const reward = event('withdraw_rewards', { amount: '5uatom', validator: other, delegator: alice }, mode);

  test('the owner gets the reward', () => {
    assert.deepEqual(rowsOf([redirected(alice), ...send(distribution, alice, '5uatom', mode), reward]), [
      ['staking_reward', alice, '', '5uatom', other, 'other'],
    ]);
  });

  test('a reward that stays in the community pool is nobody’s', () => {
    assert.deepEqual(rowsOf([redirected('community_pool'), reward]), []);
  });
});
