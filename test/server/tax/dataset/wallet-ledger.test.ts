import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noDecisions } from '../../../../pipeline/ledger/decisions.js';
import { openWallet, replayWallet } from '../../../../pipeline/ledger/replay.js';
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { walletAt, walletReplay } from '../../../../server/tax/dataset/wallet-ledger.js';
import { makeEvent, rules } from '../../../ledger/wallets.js';
import { memoryDataset } from '../../memory-dataset.js';

const reward = (n: number): PricedEvent =>
  makeEvent(n + 1, n < 1000 ? '2026-02-01' : '2026-02-02', 'staking_reward', {
    received_amount: BigInt(n + 1),
    received_denom: 'uatom',
    received_price: 2_000_000n,
  });
const EVENTS = Array.from({ length: 1600 }, (_, n) => reward(n));

const NOTHING = { decisions: noDecisions, openingLots: [] };

test('the entries of a wallet in several segments are those of one replay', () => {
  const entries = [...walletReplay(memoryDataset({ A: EVENTS }), 'A', NOTHING)];
  assert.deepEqual(entries, [...replayWallet(EVENTS, noDecisions, openWallet(rules))]);
});

test('the books at the end of a day are read no further than they must', () => {
  const read: number[] = [];
  const dataset = memoryDataset({ A: [...EVENTS, ...EVENTS.slice(1000)] }, (_, segment) => read.push(segment));
  const wallet = walletAt(dataset, 'A', NOTHING, '2026-02-01');
  assert.equal([...wallet.holding('uatom').lots].length, 1000);
  assert.deepEqual(read, [0, 1]);
});

test('a wallet without rows has no entries', () => {
  assert.deepEqual([...walletReplay(memoryDataset({}), 'A', NOTHING)], []);
});
