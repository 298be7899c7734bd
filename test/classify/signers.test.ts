/** Signers count as having asked for what arrives: signers, granters inside authz, and nobody in a block's own events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainEventRecord, Message } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { signersOf } from '../../pipeline/classify/signers.js';
import { account, block, chain, event, message, send, transaction } from './events.js';
import { sampleBlocks } from './sample.js';

const [ann, bob, relayer] = [account('ann'), account('bob'), account('relayer')];
const signed = (...signers: string[]): ChainEventRecord[] => [
  ...signers.map((signer, n) => event('tx', { acc_seq: `${signer}/${n}` })),
  event('tx', { signature: 'c2lnbmVk' }),
];
const exec = (...inner: Message[]) => message('/cosmos.authz.v1beta1.MsgExec', { grantee: relayer }, inner);

test('every signature has an account; one in capitals is the same', () => {
  const signers = signersOf(transaction([], signed(ann, bob.toUpperCase())));
  assert.deepEqual([...signers], [ann, bob]);
});

test('who granted a message agreed to it, however deep it lies; whom it pays did not', () => {
  const inner = message('/cosmos.bank.v1beta1.MsgSend', { fromAddress: ann, toAddress: bob });
  const claim = message('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', { delegatorAddress: bob });
  assert.deepEqual([...signersOf(transaction([exec(inner)], signed(relayer)))], [relayer, ann]);
  assert.deepEqual([...signersOf(transaction([exec(exec(claim))], signed(relayer)))], [relayer, bob]);
  const outer = message('/cosmos.bank.v1beta1.MsgSend', { fromAddress: ann, toAddress: bob });
  assert.deepEqual([...signersOf(transaction([outer], signed(relayer)))], [relayer], 'an outer message is signed');
});

test('whom a new validator names as its delegator did not agree to anything', () => {
  const creation = message('/cosmos.staking.v1beta1.MsgCreateValidator', { delegatorAddress: bob });
  assert.deepEqual([...signersOf(transaction([exec(creation)], signed(relayer)))], [relayer]);
});

test('a row is unsolicited exactly when its receiver neither signed nor granted', () => {
  const inside = { msg_index: '0' };
  const rows = (signers: string[]) => {
    const events = [...signed(...signers), ...send(ann, bob, '5uatom', inside)];
    const sends = transaction([message('/cosmos.bank.v1beta1.MsgSend')], events);
    return classifyBlock(block([], [sends]), chain).events.map((row) => [row.category, row.unsolicited]);
  };
  const flags = (unsolicited: boolean) => [
    ['transfer_out', false],
    ['transfer_in', unsolicited],
  ];
  assert.deepEqual(rows([ann]), flags(true));
  assert.deepEqual(rows([ann, bob]), flags(false));
  const [collector] = chain.feeCollectors;
  const tip = classifyBlock(block([], [transaction([], [...signed(ann), ...send(collector!, bob, '5uatom')])]), chain);
  assert.deepEqual(
    tip.events.map((row) => [row.detail, row.unsolicited]),
    [["Tip of a transaction's fee to the block's proposer", false]],
  );
  const own = classifyBlock(block(send(chain.module('gov'), bob, '5uatom')), chain).events;
  assert.deepEqual(
    own.map((row) => row.unsolicited),
    [false],
    'what the chain does itself',
  );
});

test('every transaction of the sample that got past its signatures has a signer', () => {
  let transactions = 0;
  for (const { transactions: all } of sampleBlocks()) {
    for (const one of all.filter(({ events }) => events.length > 0)) {
      assert.ok(signersOf(one).size > 0, one.hash);
      transactions++;
    }
  }
  assert.ok(transactions > 2000);
});
