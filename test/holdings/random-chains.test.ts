/**
 * The fold against a model of the chain's modules on random chains. Many more of them:
 * `node dist/test/holdings/random-chains.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IS_NIGHT } from '../requirements.js';
import { type Agreed, expectAgreement, expectAgreementAtEnd, expectToFollow } from './model/agreement.js';
import { CALM, contractCases, foundedAgain } from './model/cases.js';
import type { Chain, Validator } from './model/chain.js';
import { each, minus, plus } from './model/decimal.js';
import { openChain, playBlock } from './model/play.js';
import { type BlockPlan, scenarios } from './model/scenario.js';

const [chains = IS_NIGHT ? '10000' : '200', seed = '20260101'] = process.argv.slice(2);

test('the fold agrees with a model of the chain on every figure after every block', (context) => {
  const sums: Agreed = { blocks: 0, figures: 0, days: 0, upgrades: 0, consumerSlashes: 0 };
  const property = fc.property(scenarios(40, false), (scenario) => {
    const agreed = expectAgreement(scenario);
    for (const [name, more] of Object.entries(agreed)) sums[name as keyof Agreed] += more;
  });
  fc.assert(property, { seed: Number(seed), numRuns: Number(chains) });
  context.diagnostic(`${sums.blocks} blocks, ${sums.figures} figures after them, rows of ${sums.days} days`);
  context.diagnostic(
    `${sums.upgrades} upgrades that unbond validators, ${sums.consumerSlashes} slashes for consumer chains`,
  );
  assert.ok(sums.figures > 100_000 && sums.days > 500);
  assert.ok(sums.upgrades > 10 && sums.consumerSlashes > 50);
});

test('what contracts undelegate, edit and unjail without a word is found in the end', async (context) => {
  const ends = { settled: 0, open: 0 };
  const property = fc.asyncProperty(scenarios(25, true), async (scenario) => {
    const guesses = await expectAgreementAtEnd(scenario);
    ends[guesses > 0 ? 'open' : 'settled'] += 1;
  });
  await fc.assert(property, { seed: Number(seed), numRuns: Number(chains) / 2 });
  context.diagnostic(`${ends.settled} chains, and ${ends.open} that end with an open guess`);
  assert.ok(ends.settled > ends.open);
});

/** A chain of three validators after some blocks with rewards; the first takes no commission. */
function earningChain(): Chain {
  const [scenario] = fc.sample(scenarios(1, false), { seed: Number(seed), numRuns: 1 });
  const validators = [1, 2, 3].map(() => [10n ** 9n, 10n ** 8n, 333_333_333n]);
  const chain = openChain({ ...scenario!, validators, maxValidators: 3 });
  for (let i = 0; i < 5; i++) playBlock(chain, CALM);
  return chain;
}

/** Each delegation claims. */
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

for (const { title, scenario } of contractCases) {
  test(`what contracts undelegate: ${title}`, async () => {
    await expectAgreementAtEnd(scenario);
  });
}

test('a validator that is founded again has rewards of its own', () => {
  const { days } = expectAgreement(foundedAgain);
  assert.ok(days > 0);
});
