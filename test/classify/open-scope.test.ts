import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Payment, receivedRow, type ScopedEvent, sentRow } from '../../pipeline/classify/classifier.js';
import { OpenScope } from '../../pipeline/classify/open-scope.js';
import { account, chain } from './events.js';

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
const open = (payments: readonly Payment[]) => new OpenScope(facts, payments, new Set(['huge']));
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
