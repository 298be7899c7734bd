/** What governance pays when proposals end, where no recording tells refunds and a proposal's own sends apart. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, send } from '../events.js';

const [first, second, third] = ['alice', 'bob', 'carol'].map((name) => account(name)).sort(chain.compareAddresses) as [
  string,
  string,
  string,
];
const [gov, distribution] = [chain.module('gov'), chain.module('distribution')];
const NAMES = new Map([
  [first, 'first'],
  [second, 'second'],
  [third, 'third'],
]);
const paid = (to: string, amount = '5uatom', from = gov) => send(from, to, amount);
const ends = (result: string, id = '8') => event('active_proposal', { proposal_id: id, proposal_result: result });
const passed = ends('proposal_passed');

function rowsOf(...events: readonly ChainEventRecord[]): string[] {
  const inEndBlock = events.map(({ type, attributes }) => ({
    type,
    attributes: [...attributes, { key: 'mode', value: 'EndBlock' }],
  }));
  const { events: rows, unclassified } = classifyBlock(block(inEndBlock), chain);
  assert.equal(unclassified.size, 0);
  return rows.map((row) => `${NAMES.get(row.address)} ${row.category} ${row.received_amount}: ${row.detail}`);
}

const back = (name: string, amount = 5) => `${name} gov_refund ${amount}: Deposit back from proposal 8`;
const sent = (name: string, amount = 7) => `${name} transfer_in ${amount}: Sent by proposal 8`;

describe('a passed proposal that sends coins of governance', () => {
  test('refunds come first, in the order of the depositors', () => {
    const rows = rowsOf(...paid(first), ...paid(third), ...paid(second, '7uatom'), passed);
    assert.deepEqual(rows, [back('first'), back('third'), sent('second')]);
  });

  test('nobody gets two refunds of one proposal', () => {
    const rows = rowsOf(...paid(first), ...paid(first, '7uatom'), ...paid(second, '7uatom'), passed);
    assert.deepEqual(rows, [back('first'), sent('first'), sent('second')]);
  });

  test('one deposit of several coins is one refund', () => {
    const rows = rowsOf(...paid(first, '3ibc/A,5uatom'), ...paid(third), passed);
    assert.deepEqual(rows, [back('first', 3), back('first'), back('third')]);
  });

  test('what another act precedes is no refund: coins from the community pool, and whatever has an event', () => {
    const fromPool = paid(gov, '9uatom', distribution);
    for (const act of [fromPool, [event('execute', { _contract_address: account('contract') })]]) {
      assert.deepEqual(rowsOf(...paid(first), ...act, ...paid(third, '7uatom'), passed), [
        back('first'),
        sent('third'),
      ]);
    }
  });

  test('a spend of the community pool is income all the same', () => {
    const rows = rowsOf(...paid(second), ...paid(third, '9uatom', distribution), ...paid(first, '7uatom'), passed);
    const spent = 'third community_pool_income 9: Community pool spend of proposal 8';
    assert.deepEqual(rows, [back('second'), spent, sent('first')]);
  });

  test('what a contract is called with is no refund either', () => {
    const called = event('execute', { _contract_address: third });
    assert.deepEqual(rowsOf(...paid(first), ...paid(third, '7uatom'), called, passed), [back('first'), sent('third')]);
  });

  test('each proposal of a block has its own refunds', () => {
    const rows = rowsOf(...paid(second), ends('proposal_rejected', '7'), ...paid(first), passed);
    assert.deepEqual(rows, ['second gov_refund 5: Deposit back from proposal 7', back('first')]);
  });
});

test('any other end of a proposal runs no messages: all that governance pays are refunds', () => {
  for (const result of ['proposal_rejected', 'proposal_failed']) {
    const rows = rowsOf(...paid(third), ...paid(first), ends(result));
    assert.deepEqual(rows, [back('third'), back('first')]);
  }
});
