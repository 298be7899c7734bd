/** Coins that the chain's own program moves before a block's transactions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainFacts } from '../../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { ChainAct } from '../../../schemas/types.generated.js';
import { account, block, event, send } from '../events.js';

const { chain: hub, contracts, chainActs } = loadReference();
const [alice, multisig, stranger] = [account('alice'), account('multisig'), account('stranger')];
const began = [event('coinbase', { minter: 'nobody', amount: '' }, { mode: 'BeginBlock' })];

const fork: ChainAct = {
  ...{ height: 7, from: alice, to: multisig, amount: 'all', reason: 'a fork', source: 'a file' },
  ...{ sent_as: 'contract_deposit', received_as: 'contract_withdrawal' },
};
const refund: ChainAct = {
  ...{ upgrade: 'v9', from: 'distribution', to: alice, amount: '40uatom', escrow: multisig },
  ...{ reason: 'a refund', source: 'a handler', sent_as: 'contract_deposit', received_as: 'contract_withdrawal' },
};
const facts = chainFacts(hub, contracts, [fork, refund]);
const distribution = facts.module('distribution');
const NOT_REVIEWED = 'Moved by the chain itself; not reviewed';

function classified(...events: ReturnType<typeof send>) {
  const { events: rows, unclassified, unreviewedMoves } = classifyBlock(block([...events, ...began]), facts);
  assert.deepEqual([...unclassified], []);
  return {
    rows: rows.map((row) => [
      row.address,
      row.category,
      `${row.sent_amount ?? ''}>${row.received_amount ?? ''}`,
      row.counterparty,
      row.detail,
    ]),
    unreviewed: [...unreviewedMoves],
  };
}

test('a reviewed fork: the coins of each denom wait in an escrow with the account that received them', () => {
  const detail = 'Moved by the chain itself: a fork (a file)';
  assert.deepEqual(classified(...send(alice, multisig, '100uatom,5ibc/AB')), {
    rows: [
      [alice, 'contract_deposit', '100>', multisig, detail],
      [multisig, 'contract_withdrawal', '>100', alice, detail],
      [alice, 'contract_deposit', '5>', multisig, detail],
      [multisig, 'contract_withdrawal', '>5', alice, detail],
    ],
    unreviewed: [],
  });
});

test('a reviewed upgrade: what the community pool returns comes out of the escrow that the act names', () => {
  assert.deepEqual(classified(...send(distribution, alice, '40uatom')), {
    rows: [[alice, 'contract_withdrawal', '>40', multisig, 'Moved by the chain itself: a refund (a handler)']],
    unreviewed: [],
  });
});

test('a move that no act names by accounts, height and amount is no sale either, and is counted', () => {
  const other = chainFacts(hub, contracts, [{ ...fork, height: 8 }]);
  assert.equal(other.actOf({ index: 0, from: alice, to: multisig, denom: 'uatom', amount: 1n }, 7), undefined);
  assert.deepEqual(classified(...send(stranger, alice, '3uatom'), ...send(distribution, alice, '41uatom')), {
    rows: [
      [stranger, 'contract_deposit', '3>', alice, NOT_REVIEWED],
      [alice, 'contract_withdrawal', '>3', stranger, NOT_REVIEWED],
      [alice, 'contract_withdrawal', '>41', distribution, NOT_REVIEWED],
    ],
    unreviewed: [['7', 3]],
  });
  assert.deepEqual(classified(...send(alice, alice, '2uatom')).rows, [[alice, 'self_transfer', '2>2', null, '']]);
});

test('in BeginBlock a move between wallets is one, too; what a module pays there has no explanation without an act', () => {
  const begin = { mode: 'BeginBlock' };
  const events = [
    ...send(stranger, alice, '3uatom', begin),
    ...send(distribution, stranger, '4uatom', begin),
    ...send(distribution, alice, '40uatom', begin),
  ];
  const { events: rows, unclassified } = classifyBlock(block(events), facts);
  assert.deepEqual(
    rows.map(({ address, category, detail }) => [address, category, detail]),
    [
      [stranger, 'contract_deposit', NOT_REVIEWED],
      [alice, 'contract_withdrawal', NOT_REVIEWED],
      [stranger, 'unclassified', 'Not classified: BeginBlock'],
      [alice, 'contract_withdrawal', 'Moved by the chain itself: a refund (a handler)'],
    ],
  );
  assert.deepEqual([...unclassified], [['BeginBlock', 1]]);
});

test("the Hub's own acts: the fork of 2026, and the refund that becomes a vesting account", () => {
  const own = chainFacts(hub, contracts, chainActs);
  const [from, to] = ['cosmos1dd25c4sshelrpfs0433apg24c5phrhk8m96c4n', 'cosmos1z8pq5cn7tdrwwzlwm0e44fgq07e43ner6vph64'];
  const paid = (payer: string, receiver: string, height: number, amount = 1_221_120_000_000n) =>
    own.actOf({ index: 0, from: payer, to: receiver, denom: 'uatom', amount }, height);
  assert.equal(paid(from, to, 33_086_741)?.escrow, undefined);
  assert.match(paid(from, to, 33_086_741)!.detail, /balance_migration\.go @1744405b\)$/);
  assert.equal(paid(from, to, 33_086_742), undefined);
  assert.equal(paid(own.module('distribution'), from, 34_000_000)?.escrow, to);
  assert.equal(paid(own.module('distribution'), from, 34_000_000, 5n), undefined);
});
