/** Staking as random chains mix it: nested permissions, redirected rewards, slashes, removed validators, share records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCoins } from '../../pipeline/base/values/amount.js';
import type { ChainEventRecord, FullBlock } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { openChain, playBlock } from '../holdings/model/play.js';
import { type Scenario, scenarios } from '../holdings/model/scenario.js';
import { chain as facts } from './events.js';

function blocksOf(scenario: Scenario): FullBlock[] {
  const chain = openChain(scenario);
  return scenario.blocks.map((plan) => playBlock(chain, plan).block);
}

/** Accounts of more share records than a random chain makes. */
const records = new Set(Array.from({ length: 200 }, (_, i) => facts.shareRecordAccount(String(59_712 + i))));

/** Coins that events say were withdrawn for wallets, as text. */
const withdrawn = (events: readonly ChainEventRecord[]) =>
  events
    .filter(({ type }) => type === 'withdraw_rewards')
    .map(({ attributes }) => new Map(attributes.map(({ key, value }) => [key, value])))
    .filter((of) => !records.has(of.get('delegator')!))
    .flatMap((of) =>
      parseCoins(of.get('amount')!).map(
        (coin) => `${of.get('delegator')} ${of.get('validator')} ${coin.amount}${coin.denom}`,
      ),
    );

test('nothing that staking does is left unclassified, and every reward is a row with its trigger', () => {
  let rewards = 0;
  const property = fc.property(scenarios(40, false), (scenario) => {
    for (const block of blocksOf(scenario)) {
      const { events: rows, unclassified } = classifyBlock(block, facts);
      assert.deepEqual([...unclassified], []);
      const own = rows.filter(({ category }) => category === 'staking_reward');
      const told = [block, ...block.transactions].flatMap(({ events }) => withdrawn(events));
      const said = own.map((row) => `${row.address} ${row.validator} ${row.received_amount}${row.received_denom}`);
      assert.deepEqual(said.sort(), told.sort());
      for (const row of own) assert.ok(row.reward_trigger !== null);
      rewards += own.length;
    }
  });
  fc.assert(property, { numRuns: 200, seed: 20_260_101 });
  assert.ok(rewards > 1000);
});
