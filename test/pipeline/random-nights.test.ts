/**
 * Nights on random chains of the fold's model: no audit fails, nothing is left unclassified, holdings reach the end. Many more of them:
 * `node dist/test/pipeline/random-nights.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { readManifest } from '../../pipeline/publish/generation.js';
import { inAndOut, outWithTheRest } from '../holdings/model/cases.js';
import { openChain, playBlock } from '../holdings/model/play.js';
import { type Scenario, scenarios } from '../holdings/model/scenario.js';
import { IS_NIGHT } from '../requirements.js';
import { genesisOf, recordOf } from './model-recording.js';
import { CUT, NightCase } from './night-case.js';

const [chains = IS_NIGHT ? '200' : '6', seed = '20260101'] = process.argv.slice(2);

/** Upgrades are left out: the model has less of what their handlers move than the bank would tell. */
const withoutUpgrades = (scenario: Scenario): Scenario => ({
  ...scenario,
  blocks: scenario.blocks.map((block) => ({
    ...block,
    transactions: block.transactions.map(({ depth, actions }) => {
      return { depth, actions: actions.filter(({ kind }) => kind !== 'proposeUpgrade') };
    }),
  })),
});

/** The chain as a recording, of which the index begins with one of its first days. */
function recorded(scenario: Scenario): NightCase {
  const chain = openChain(scenario);
  const genesis = genesisOf(chain);
  const blocks = scenario.blocks.map((plan) => playBlock(chain, plan).block);
  const days = [...new Set(blocks.map(({ time }) => time.slice(0, 10)))];
  const firstDay = days[Math.min(days.length - 1, blocks.length % 3)]!;
  const night = new NightCase({ ...CUT, from: 1, last: blocks.length, firstDay });
  night.record(blocks.map(recordOf));
  const status = JSON.parse(readFileSync(night.path('recording/status.json'), 'utf8'));
  const { height, time } = blocks.at(-1)!;
  Object.assign(status.sync_info, { latest_block_height: String(height), latest_block_time: time });
  writeFileSync(night.path('recording/status.json'), JSON.stringify(status));
  writeFileSync(night.path('genesis.json'), JSON.stringify(genesis));
  night.variables = { HUBLEDGER_GENESIS: night.path('genesis.json') };
  return night;
}

async function expectDataset(scenario: Scenario): Promise<void> {
  const night = recorded(scenario);
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
    (scenario) => expectDataset(withoutUpgrades(scenario)),
  );
  await fc.assert(property, { seed: Number(seed), numRuns: Number(chains), endOnFailure: true });
});
