/**
 * The fold against a model of the chain's modules on random chains. Many more of them:
 * `node dist/test/holdings/random-chains.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Agreed, expectAgreement } from './model/agreement.js';
import { scenarios } from './model/scenario.js';

const [chains = '200', seed = '20260101'] = process.argv.slice(2);

test('the fold agrees with a model of the chain on every figure after every block', (context) => {
  const sums: Agreed = { blocks: 0, figures: 0, days: 0 };
  const property = fc.property(scenarios(40), (scenario) => {
    const agreed = expectAgreement(scenario);
    for (const name of ['blocks', 'figures', 'days'] as const) sums[name] += agreed[name];
  });
  fc.assert(property, { seed: Number(seed), numRuns: Number(chains) });
  context.diagnostic(`${sums.blocks} blocks, ${sums.figures} figures after them, rows of ${sums.days} days`);
  assert.ok(sums.figures > 100_000 && sums.days > 500);
});
