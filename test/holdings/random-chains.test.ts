/**
 * The fold against a model of the chain's modules on random chains. Many more of them:
 * `node dist/test/holdings/random-chains.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Agreed, expectAgreement, expectAgreementAtEnd, expectToFollow } from './model/agreement.js';
import type { Chain, Validator } from './model/chain.js';
import { each, minus, plus } from './model/decimal.js';
import { openChain, playBlock } from './model/play.js';
import { type Action, type BlockPlan, type Scenario, scenarios, type TransactionPlan } from './model/scenario.js';

const [chains = '200', seed = '20260101'] = process.argv.slice(2);

test('the fold agrees with a model of the chain on every figure after every block', (context) => {
  const sums: Agreed = { blocks: 0, figures: 0, days: 0 };
  const property = fc.property(scenarios(40, false), (scenario) => {
    const agreed = expectAgreement(scenario);
    for (const name of ['blocks', 'figures', 'days'] as const) sums[name] += agreed[name];
  });
  fc.assert(property, { seed: Number(seed), numRuns: Number(chains) });
  context.diagnostic(`${sums.blocks} blocks, ${sums.figures} figures after them, rows of ${sums.days} days`);
  assert.ok(sums.figures > 100_000 && sums.days > 500);
});

test('what contracts undelegate without saying how much is found in the end', async (context) => {
  const ends = { settled: 0, open: 0 };
  const property = fc.asyncProperty(scenarios(25, true), async (scenario) => {
    const guesses = await expectAgreementAtEnd(scenario);
    ends[guesses > 0 ? 'open' : 'settled'] += 1;
  });
  await fc.assert(property, { seed: Number(seed), numRuns: Number(chains) / 2 });
  context.diagnostic(`${ends.settled} chains, and ${ends.open} that end with an open guess`);
  assert.ok(ends.settled > ends.open);
});

/** A chain of three validators, of which the first takes no commission, after some blocks that paid rewards. */
function earningChain(): Chain {
  const [scenario] = fc.sample(scenarios(1, false), { seed: Number(seed), numRuns: 1 });
  const validators = [1, 2, 3].map(() => [10n ** 9n, 10n ** 8n, 333_333_333n]);
  const chain = openChain({ ...scenario!, validators, maxValidators: 3 });
  for (let i = 0; i < 5; i++) playBlock(chain, CALM);
  return chain;
}

const CALM: BlockPlan = {
  minutes: 60,
  nanoseconds: 1,
  fees: [10n ** 15n, 10n ** 6n],
  downtime: [],
  doubleSigns: [],
  transactions: [],
  passes: false,
};

/** A claim of each delegation. */
const claims = Array.from(
  { length: 9 },
  (_, who) => ({ kind: 'claim', who, validator: 0, choice: 0, amount: 1n, other: false }) as const,
);
const CLAIMING: BlockPlan = { ...CALM, transactions: [{ depth: 0, actions: claims }] };

test('a claim pays no more than the validator has outstanding', () => {
  const chain = earningChain();
  const [{ operator }] = [...chain.validators.values()] as [Validator];
  const record = chain.rewards.get(operator)!;
  const left = each(record.outstanding, (amount) => amount / 3n);
  chain.communityPool = plus(chain.communityPool, minus(record.outstanding, left));
  record.outstanding = left;
  expectToFollow(chain, [CLAIMING, CALM, CLAIMING]);
});

test('a stake that rounding has left above its tokens counts as these', () => {
  const chain = earningChain();
  for (const [key, info] of chain.startingInfos) chain.startingInfos.set(key, { ...info, stake: info.stake + 3n });
  expectToFollow(chain, [CALM, CLAIMING, CALM, CLAIMING]);
});

const action = (kind: Action['kind'], amount = 1n, choice = 0, validator = 0): Action => {
  return { kind, who: 0, validator, choice, amount, other: false };
};
const inOne = (...actions: Action[]): TransactionPlan[] => [{ depth: 0, actions }];
const QUIET: BlockPlan = { ...CALM, minutes: 1, nanoseconds: 0, fees: [0n, 0n] };

test('a wrong guess that shows only where its coins were redelegated is taken back', async () => {
  // A contract undelegates from a slashed validator; what is redelegated after that shows at the other validator's rate.
  const scenario: Scenario = {
    contracts: true,
    validators: [[369_875_826_367n], [1_000_000_000n]],
    maxValidators: 1,
    unbondingHours: 24,
    downtime: 10,
    doubleSign: 50,
    cut: { block: 0, from: 'export' },
    blocks: [
      {
        ...QUIET,
        doubleSigns: [{ validator: 0, age: 0 }],
        transactions: inOne(action('delegate', 528_722_545n), action('undelegate')),
      },
      { ...QUIET, transactions: inOne(action('cancel'), action('commission')) },
      { ...QUIET, fees: [1n, 1n], downtime: [0] },
      { ...QUIET, transactions: inOne(action('undelegate', 4n), action('redelegate')) },
      { ...QUIET, fees: [0n, 1n] },
      {
        ...QUIET,
        fees: [1n, 1n],
        downtime: [0],
        transactions: inOne(action('redelegate', 87_101n, 1), action('deposit')),
      },
      {
        ...QUIET,
        fees: [1n, 1n],
        transactions: inOne({ ...action('undelegate', 39_651n), who: 303 }, action('delegate', 1n, 0, 3)),
      },
    ],
  };
  await expectAgreementAtEnd(scenario);
});
