/** Acts that the chain's program knows and no recording shows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { compactRow } from '../../scripts/recordings/recorded-case.js';
import { account, block, chain, event, message, send, transaction } from './events.js';

const [alice, bob] = [account('alice'), account('bob')];
const operator = chain.operatorOf(account('operator'));
const distribution = chain.module('distribution');
const inMessage = { msg_index: '0' };
const summary = (classified: ReturnType<typeof classifyBlock>) =>
  classified.events.map(({ address, category, validator, reward_trigger }) => [
    address,
    category,
    validator,
    reward_trigger,
  ]);

describe('a validator that is removed within a message', () => {
  const undelegate = (withdrawAddress: string) =>
    transaction(
      [message('/cosmos.staking.v1beta1.MsgUndelegate')],
      [
        ...send(distribution, alice, '3uatom', inMessage),
        event('withdraw_rewards', { amount: '3uatom', validator: operator, delegator: alice }, inMessage),
        ...send(distribution, withdrawAddress, '50uatom', inMessage),
        event('unbond', { amount: '9uatom', validator: operator, delegator: alice, completion_time: 'T' }, inMessage),
      ],
    );

  test('pays its leftover commission to the operator', () => {
    assert.deepEqual(summary(classifyBlock(block([], [undelegate(account('operator'))]), chain)), [
      [alice, 'staking_reward', operator, 'undelegate'],
      [account('operator'), 'validator_commission', operator, 'validator_removed'],
      [alice, 'undelegate', operator, null],
    ]);
  });

  test('or to where the operator wants it', () => {
    assert.deepEqual(summary(classifyBlock(block([], [undelegate(bob)]), chain)).slice(1, 4), [
      [account('operator'), 'validator_commission', operator, 'validator_removed'],
      [account('operator'), 'reward_redirected', operator, null],
      [bob, 'redirected_reward_in', operator, null],
    ]);
  });
});

test('addresses in capitals are the same wallets', () => {
  const capitals = { validator: operator.toUpperCase(), delegator: alice.toUpperCase() };
  const value = { delegatorAddress: alice.toUpperCase() };
  const events = [
    ...send(alice, chain.module('bonded_tokens_pool'), '5uatom', inMessage),
    event('delegate', { ...capitals, amount: '5uatom' }, inMessage),
    event('unbond', { ...capitals, amount: '4uatom' }, inMessage),
    event('redelegate', { destination_validator: capitals.validator, amount: '3uatom' }, inMessage),
  ];
  const redelegate = message('/cosmos.staking.v1beta1.MsgBeginRedelegate', value);
  assert.deepEqual(summary(classifyBlock(block([], [transaction([redelegate], events)]), chain)), [
    [alice, 'delegate', operator, null],
    [alice, 'undelegate', operator, null],
    [alice, 'redelegate', operator, null],
  ]);
});

test('amounts that fit no table are left out of rows and movements, and reported', () => {
  const huge = `1${'0'.repeat(40)}factory/x/huge,7uatom`;
  const classified = classifyBlock(
    block([], [transaction([message('/cosmos.bank.v1beta1.MsgSend')], send(alice, bob, huge, inMessage))]),
    chain,
  );
  const addresses = [alice, bob].sort();
  assert.deepEqual(classified.oversized, [{ height: 7, tx_hash: 'AB'.repeat(32), denom: 'factory/x/huge', addresses }]);
  assert.deepEqual(
    classified.events.map(({ category, sent_denom }) => [category, sent_denom]),
    [
      ['transfer_out', 'uatom'],
      ['transfer_in', null],
    ],
  );
  assert.deepEqual(
    classified.movements.map(({ denom, amount }) => [denom, amount]),
    [
      ['uatom', -7n],
      ['uatom', 7n],
    ],
  );
});

test('an oversized coin of a reward does not hide the others', () => {
  const coins = `1${'0'.repeat(40)}factory/x/huge,7uatom`;
  const events = [
    ...send(distribution, alice, coins, inMessage),
    event('withdraw_rewards', { amount: coins, validator: operator, delegator: alice }, inMessage),
  ];
  const claim = message('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward');
  assert.deepEqual(summary(classifyBlock(block([], [transaction([claim], events)]), chain)), [
    [alice, 'staking_reward', operator, 'claim'],
  ]);
});

test('an unknown message keeps its exact net amounts, and is counted', () => {
  const strange = message('/strange.v1.MsgStrange', undefined);
  const events = [
    ...send(alice, bob, '10uatom,4ibc/A', inMessage),
    ...send(bob, alice, '3uatom,4ibc/A', inMessage),
    event('coin_received', { receiver: alice, amount: '1new' }, inMessage),
  ];
  const classified = classifyBlock(block([], [transaction([strange], events)]), chain);
  assert.deepEqual(
    classified.events.map((row) => {
      const {
        address,
        category,
        id,
        counterparty,
        sent_amount: sent = '',
        received_amount: received = '',
      } = compactRow(row);
      return [address, category, id, counterparty, sent, received];
    }),
    [
      [alice, 'unclassified', '7-0-1-0-out', bob, '7', ''],
      [bob, 'unclassified', '7-0-1-0-in', alice, '', '7'],
      [alice, 'unclassified', '7-0-4-0-in', undefined, '', '1'],
    ],
  );
  assert.deepEqual([...classified.unclassified], [['/strange.v1.MsgStrange', 3]]);
  assert.deepEqual([...classified.unknownTypes], [['/strange.v1.MsgStrange', 1]]);
});

test('a reward that an act of no known kind pays out has a trigger all the same', () => {
  const nested = { ...inMessage, authz_msg_index: '0' };
  const reward = (more: Readonly<Record<string, string>>) => [
    ...send(distribution, alice, '7uatom', more),
    event('withdraw_rewards', { amount: '7uatom', validator: operator, delegator: alice }, more),
  ];
  const unread = { ...message('/cosmos.authz.v1beta1.MsgExec'), value: undefined, fault: 'cut off' };
  for (const [acted, more, trigger] of [
    [message('/strange.v1.MsgStrange', undefined), inMessage, 'other'],
    [unread, nested, 'authz'],
  ] as const) {
    const rows = classifyBlock(block([], [transaction([acted], reward(more))]), chain);
    assert.deepEqual(summary(rows), [[alice, 'staking_reward', operator, trigger]]);
  }
  assert.deepEqual(summary(classifyBlock(block(reward({})), chain)), [[alice, 'staking_reward', operator, 'other']]);
});

test('a message that is not of its type keeps the rows of its events, and is counted unless it failed', () => {
  const withdrawal = message('/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission');
  const unread = { ...withdrawal, value: undefined, fault: 'cut off' };
  const inside = message('/cosmos.authz.v1beta1.MsgExec', {}, [unread]);
  const events = [
    ...send(distribution, alice, '50uatom', inMessage),
    event('withdraw_commission', { amount: '50uatom' }, inMessage),
  ];
  const failed = { ...transaction([unread], [], 5), index: 1 };
  const classified = classifyBlock(block([], [transaction([unread, inside], events), failed]), chain);
  assert.deepEqual(
    classified.events.map(({ address, category, received_amount }) => [address, category, received_amount]),
    [[alice, 'unclassified', 50n]],
  );
  assert.deepEqual([...classified.undecoded], [[withdrawal.typeUrl, 2]]);
  assert.deepEqual([...classified.unknownTypes], []);
});

test('the plain fee decorator without x/feemarket: the fee goes to the fee collector', () => {
  const events = [
    ...send(alice, chain.module('fee_collector'), '11uatom'),
    event('tx', { fee: '11uatom', fee_payer: alice }),
  ];
  const classified = classifyBlock(block([], [transaction([], events, 5)]), chain);
  assert.deepEqual(
    classified.events.map(({ category, fee_amount }) => [category, fee_amount]),
    [['fee_failed', 11n]],
  );
});

test('rows of a block: its beginning, then transactions, then its end', () => {
  const gov = chain.module('gov');
  const slash = [
    ...send(distribution, alice, '1uatom', { mode: 'BeginBlock' }),
    event('withdraw_rewards', { amount: '1uatom', validator: operator, delegator: alice, mode: 'BeginBlock' }),
    event('slash', { mode: 'BeginBlock' }),
  ];
  const end = [
    ...send(gov, bob, '2uatom', { mode: 'EndBlock' }),
    event('inactive_proposal', { proposal_id: '4', mode: 'EndBlock' }),
  ];
  const bank = transaction([message('/cosmos.bank.v1beta1.MsgSend')], send(alice, bob, '3uatom', inMessage));
  const { events } = classifyBlock(block([...slash, ...end], [bank]), chain);
  assert.deepEqual(
    events.map(({ position, category, id }) => [position, category, id]),
    [
      [0, 'staking_reward', '7-block-2-0-in'],
      [1, 'transfer_out', '7-0-1-0-out'],
      [2, 'transfer_in', '7-0-1-0-in'],
      [3, 'gov_refund', '7-block-5-0-in'],
    ],
  );
});
