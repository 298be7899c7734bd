/**
 * Nights on random chains of the fold's model: no audit fails, nothing is left unclassified, holdings reach the end. Many more of them:
 * `node dist/test/pipeline/random-nights.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readManifest } from '../../pipeline/publish/generation.js';
import { inAndOut, outWithTheRest } from '../holdings/model/cases.js';
import { type Scenario, scenarios } from '../holdings/model/scenario.js';
import { IS_NIGHT } from '../requirements.js';
import { recordedChain } from './model-recording.js';

const [chains = IS_NIGHT ? '200' : '6', seed = '20260101'] = process.argv.slice(2);

async function expectDataset(scenario: Scenario): Promise<void> {
  const night = recordedChain(scenario);
  try {
    const { generation } = await night.night('data');
    const { holdings_stop, unclassified } = readManifest(night.path('data/generations', generation));
    assert.deepEqual([holdings_stop, unclassified], [null, {}]);
  } finally {
    night.remove();
  }
}

for (const [title, scenario] of [
  ['delegated and undelegated at once', inAndOut],
  ['undelegated on the day on which the validator is slashed and left', outWithTheRest],
] as const) {
  test(`a unit that rounding takes of what is ${title} stops no night`, () => expectDataset(scenario));
}

test('a night on a random chain ends with a dataset that nothing contradicts', async () => {
  const property = fc.asyncProperty(
    fc.boolean().chain((contracts) => scenarios(60, contracts)),
    expectDataset,
  );
  await fc.assert(property, { seed: Number(seed), numRuns: Number(chains), endOnFailure: true });
});
