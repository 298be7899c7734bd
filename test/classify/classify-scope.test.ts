import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { type Payment, receivedRow, type ScopedEvent, sentRow } from '../../pipeline/classify/classifier.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { OpenPayments, openScope } from '../../pipeline/classify/classify-scope.js';
import { account, block, chain, event, message, send, transaction } from './events.js';

const [alice, bob] = [account('alice'), account('bob')];
const pay = (index: number, from: string | null, to: string | null, amount = 5n, denom = 'uatom'): Payment => {
  return { index, from, to, denom, amount };
};
const facts = {
  chain,
  phase: 'message',
  height: 7,
  place: '7-0',
  succeeded: true,
  message: undefined,
  via: undefined,
  contracts: new Set<string>(),
  cause: undefined,
  events: [],
} as const;
const open = (payments: readonly Payment[]) => openScope({ ...facts, payments }, new Set(['huge']));
const eventAt = (index: number, amount = ''): ScopedEvent => ({
  index,
  type: 'test',
  get: () => amount,
  address: () => undefined,
});
const always = () => true;

describe('explain', () => {
  test('takes a payment once', () => {
    const payment = pay(1, alice, bob);
    const scope = open([payment]);
    const rows = [sentRow(payment, 'transfer_out'), receivedRow(payment, 'transfer_in')];
    scope.explain([payment], rows);
    assert.deepEqual(scope.unexplained(), []);
    assert.deepEqual(scope.rows, rows);
    assert.throws(() => scope.explain([payment], rows), /event 1 is explained twice/);
  });

  test('module accounts have no rows', () => {
    const payment = pay(1, chain.module('gov'), alice);
    const scope = open([payment, pay(2, chain.module('gov'), chain.module('mint'))]);
    assert.deepEqual(scope.unexplained(), [payment], 'what modules pay each other needs no explanation');
    scope.explain([payment], [sentRow(payment, 'transfer_out'), receivedRow(payment, 'gov_refund')]);
    assert.deepEqual(
      scope.rows.map(({ category }) => category),
      ['gov_refund'],
    );
  });
});

describe('sendBefore', () => {
  test('finds the nearest send before the event, all its coins or none', () => {
    const first = pay(1, alice, bob);
    const two = [pay(3, alice, bob, 5n, 'ibc/A'), pay(3, alice, bob, 5n)];
    const later = pay(9, alice, bob);
    const scope = open([first, ...two, later]);
    const one = [{ denom: 'uatom', amount: 5n }];
    assert.deepEqual(scope.sendBefore(eventAt(5), one, always), [first]);
    assert.deepEqual(scope.sendBefore(eventAt(5), [{ denom: 'ibc/A', amount: 5n }, ...one], always), two);
    assert.deepEqual(scope.sendBefore(eventAt(10), one, always), [later]);
    assert.deepEqual(
      scope.sendBefore(eventAt(10), one, ({ from }) => from === bob),
      [],
    );
    assert.deepEqual(scope.sendBefore(eventAt(1), one, always), []);
  });
});

test('coins of an event: zeros and what is too large are left out', () => {
  const scope = open([]);
  assert.deepEqual(scope.coins(eventAt(0, '0stake'), 'amount'), []);
  assert.deepEqual(scope.coins(eventAt(0, '7huge,8uatom'), 'amount'), [{ denom: 'uatom', amount: 8n }]);
});

describe('open payments', () => {
  const [contract, alice] = [account('contract'), account('alice')];
  const operator = chain.operatorOf(account('operator'));
  const [distribution, gov, bonded] = ['distribution', 'gov', 'bonded_tokens_pool'].map(chain.module) as [
    string,
    string,
    string,
  ];
  const ofMessage = { key: 'msg_index', value: '0' };
  const escrow = chain.escrow('transfer', 'channel-1');
  /** What a contract may do any number of times in one message, beside paying somebody whom no event names. */
  const acts: Readonly<Record<string, (coin: string, i: number) => ChainEventRecord[]>> = {
    'delegates and undelegates': (amount) => [
      ...send(contract, bonded, amount),
      event('delegate', { amount, validator: operator, delegator: contract }),
      event('withdraw_rewards', { amount: '', validator: operator, delegator: contract }),
      event('unbond', { amount, validator: operator, delegator: contract }),
    ],
    'redelegates, and has rewards paid to an account of the chain': (amount) => [
      ...send(distribution, gov, amount),
      event('withdraw_rewards', { amount, validator: operator, delegator: contract }),
      event('redelegate', { amount, source_validator: operator, destination_validator: operator }),
    ],
    'sends to another chain': (amount, i) => [
      ...send(contract, escrow, amount),
      event('send_packet', { packet_src_port: 'transfer', packet_src_channel: 'channel-1', packet_sequence: `${i}` }),
      event('ibc_transfer', { sender: contract, receiver: 'elsewhere', amount: amount.replace('uatom', '') }),
    ],
  };

  test('what is open before an index, the nearest first, without what was taken', () => {
    const all: Payment[] = [1, 1, 4, 9].map((index) => ({ index, from: null, to: alice, denom: 'uatom', amount: 5n }));
    const payments = new OpenPayments(all);
    const before = (index: number) => [...payments.before(index)].map((payment) => all.indexOf(payment));
    assert.deepEqual(before(9), [2, 1, 0]);
    assert.ok(payments.take(all[1]!));
    assert.ok(!payments.take(all[1]!));
    assert.ok(!payments.take({ ...all[0]! }));
    assert.deepEqual([before(10), before(4), before(1)], [[3, 2, 0], [0], []]);
    for (const place of [3, 0, 2]) assert.ok(payments.take(all[place]!));
    assert.deepEqual(before(10), []);
  });

  /** Milliseconds of this process for one message of a contract that does something so often. */
  function timeOf(act: (coin: string, i: number) => ChainEventRecord[], times: number): number {
    const events = Array.from({ length: times }, (_, i) => [
      ...send(contract, i % 2 ? alice : account('bob'), '7uatom'),
      ...act(`${i + 1}uatom`, i),
    ]).flat();
    const all = [event('execute', { _contract_address: contract }), ...events];
    const inMessage = all.map(({ type, attributes }) => ({ type, attributes: [...attributes, ofMessage] }));
    const execute = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
    const began = process.cpuUsage();
    classifyBlock(block([], [transaction([execute], inMessage)]), chain);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  }

  for (const [name, act] of Object.entries(acts)) {
    test(`a contract that ${name} 20,000 times in one message holds up no night`, () => {
      const took = timeOf(act, 20_000);
      assert.ok(took < 8000, `${took} ms`);
    });
  }
});
