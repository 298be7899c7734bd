/** The example wallet on a real chain, where strangers send advertising to every operator that they find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorAccount } from '../../../../pipeline/holdings/modules/validator.js';
import { exampleWallet } from '../../../../server/tax/dataset/example-wallet.js';
import { memoryDataset } from '../../memory-dataset.js';
import { flaggedReceipt, OPERATORS, recordedEvents, WALLETS } from '../../published.js';

const [alpha, bravo] = [OPERATORS.alpha, OPERATORS.bravo].map(operatorAccount) as [string, string];

/** Chooses among operators with rewards. @param flagged number of their flagged receipts by account */
function chosen(flagged: Readonly<Record<string, number>>, events = recordedEvents(WALLETS.busy)): string | undefined {
  const dataset = memoryDataset(Object.fromEntries(Object.keys(flagged).map((address) => [address, events])));
  const receipts = events.filter(({ received_denom }) => received_denom !== null).map((event) => flaggedReceipt(event));
  return exampleWallet(
    {
      ...dataset,
      flagged: (address) => receipts.slice(0, flagged[address] ?? 0),
      validators: () => new Map(Object.values(OPERATORS).map((operator) => [operator, { moniker: '', onChain: true }])),
    },
    false,
  )?.address;
}

test('the operator with the fewest flagged receipts is shown', () => {
  assert.equal(chosen({ [alpha]: 2, [bravo]: 0 }), bravo);
  assert.equal(chosen({ [alpha]: 2, [bravo]: 3 }), alpha, 'also where nobody has none');
});

test('commission is a reward, too: an operator need not have staked with itself', () => {
  const without = recordedEvents(WALLETS.busy).filter(({ category }) => category !== 'staking_reward');
  assert.equal(chosen({ [alpha]: 0 }, without), undefined);
  const paid = { ...without[0]!, category: 'validator_commission' };
  assert.equal(chosen({ [alpha]: 0 }, [...without, paid]), alpha);
});

test('nobody is shown who is no operator', () => {
  assert.equal(chosen({ [WALLETS.busy]: 0 }), undefined);
});
