/**
 * Nights on an index that was begun without a starting state and is given one of a later block: rows stay, holdings begin there. Many
 * more chains: `node dist/test/pipeline/later-state.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { VariableError } from '../../pipeline/base/config-error.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { LossError } from '../../pipeline/publish/losses.js';
import { AuditError } from '../../pipeline/publish/run-audits.js';
import { verify } from '../../pipeline/publish/verify/verify.js';
import type { Outcome } from '../../pipeline/run-night.js';
import type { Manifest } from '../../schemas/types.generated.js';
import { type Scenario, scenarios } from '../holdings/model/scenario.js';
import { openDatabase } from '../open-database.js';
import { IS_NIGHT } from '../requirements.js';
import { recordedChain } from './model-recording.js';
import type { NightCase } from './night-case.js';

const [chains = IS_NIGHT ? '60' : '2', seed = '20260301'] = process.argv.slice(2);

/** A chain whose starting states are named one after another. */
class Begun {
  readonly height: number;
  readonly case: NightCase;

  /** @param height of the later state */
  constructor(scenario: Scenario, height: number) {
    this.height = height;
    this.case = recordedChain(scenario, height);
  }

  /** A night with a state of that name; without one: none. */
  async night(dataDir: string, state?: string, until?: number): Promise<Dataset> {
    this.case.variables = state === undefined ? {} : { HUBLEDGER_GENESIS: this.case.path(state) };
    const outcome = await this.case.night(dataDir, until === undefined ? {} : { until });
    return new Dataset(this.case.path(dataDir, 'generations', outcome.generation), outcome);
  }
}

class Dataset {
  readonly manifest: Manifest;

  constructor(
    readonly folder: string,
    readonly outcome: Outcome,
  ) {
    this.manifest = readManifest(folder);
  }

  /** Rows of a table as text, sorted. */
  async rows(table: string, columns = '*', condition = 'true'): Promise<string[]> {
    const database = await openDatabase();
    try {
      await database.attach(table, tableFiles(this.folder, this.manifest, table));
      const sql = `select t::varchar as row from (select ${columns} from ${table} where ${condition}) as t`;
      const rows = await database.all<{ row: string }>(sql);
      return rows.map(({ row }) => row).sort();
    } finally {
      database.close();
    }
  }
}

/** Prices of shares rest on holdings: rows of the state's day, and later ones, have some that they lacked. */
const WITHOUT_PRICES = '* exclude (sent_price, received_price, fee_price)';

async function expectHoldingsFromThereOn(scenario: Scenario): Promise<void> {
  const { blocks } = scenario;
  fc.pre(blocks.length > 1);
  const begun = new Begun(scenario, Math.max(1, Math.floor(blocks.length * 0.6)));
  try {
    const plain = await begun.night('data');
    const later = await begun.night('data', 'export.json');
    const { coverage, holdings_from, holdings_until, holdings_stop } = later.manifest;
    assert.deepEqual(
      [coverage.first_height, coverage.starting_height, holdings_from, holdings_until, holdings_stop],
      [
        plain.manifest.coverage.first_height,
        begun.height,
        Math.max(coverage.first_height, begun.height),
        blocks.length,
        null,
      ],
    );
    const before = `height <= ${begun.height}`;
    assert.deepEqual(
      await later.rows('priced_events', WITHOUT_PRICES, before),
      await plain.rows('priced_events', WITHOUT_PRICES, before),
    );
    const whole = await begun.night('whole', 'genesis.json');
    assert.deepEqual(await later.rows('opening_balances'), await whole.rows('opening_balances'));
    const closing = "moment = 'closing'";
    assert.deepEqual(
      await later.rows('native_holdings', '*', closing),
      await whole.rows('native_holdings', '*', closing),
    );
    const days = `close_height >= ${begun.height}`;
    assert.deepEqual(await later.rows('validator_days', '*', days), await whole.rows('validator_days', '*', days));
    for await (const { ok, text } of verify(later.folder)) assert.ok(ok, text);
    assert.equal((await begun.night('single', 'export.json')).outcome.generation, later.outcome.generation);
  } finally {
    begun.case.remove();
  }
}

test('rows stay, holdings are those of a dataset that had the state from the beginning, one night makes the same', async () => {
  // Without contracts: what the fold guesses of their undelegations may be a unit off, in a dataset that had no later state.
  const property = fc.asyncProperty(scenarios(60, false), expectHoldingsFromThereOn);
  await fc.assert(property, { seed: Number(seed), numRuns: Number(chains), endOnFailure: true });
});

/** The same long chain in every run. */
const chain = () => fc.sample(scenarios(60, false), { seed: 7, numRuns: 40 }).find(({ blocks }) => blocks.length > 50)!;

test('holdings wait for a block after the state, and are not taken away again', async () => {
  const begun = new Begun(chain(), 40);
  try {
    const early = await begun.night('data', 'export.json', 40);
    assert.deepEqual([early.manifest.coverage.starting_height, early.manifest.holdings_from], [null, null]);
    const later = await begun.night('data', 'export.json');
    assert.equal(later.manifest.holdings_from, 40);
    await assert.rejects(
      () => begun.night('data'),
      (error) =>
        error instanceof VariableError &&
        /rests on the starting state of height 40, but HUBLEDGER_GENESIS is not set/.test(error.message),
    );
    const whole = await begun.night('data', 'genesis.json');
    assert.equal(whole.manifest.holdings_from, whole.manifest.coverage.first_height);
    await assert.rejects(
      () => begun.night('data', 'export.json'),
      (error) => error instanceof LossError && /holdings of blocks \d+ to 39/.test(error.message),
    );
  } finally {
    begun.case.remove();
  }
});

/** The state with a wallet that has nothing liquid of the staked coin. */
function withoutCoins(path: string, address: string): string {
  const state = JSON.parse(readFileSync(path, 'utf8'));
  const account = state.app_state.bank.balances.find((held: { address: string }) => held.address === address);
  account.coins = account.coins.filter(({ denom }: { denom: string }) => denom !== 'uatom');
  writeFileSync(path.replace('export', 'wrong'), JSON.stringify(state));
  return 'wrong.json';
}

test('a state in which a wallet has less than its rows brought is refused with the wallet', async () => {
  const begun = new Begun(chain(), 40);
  try {
    const plain = await begun.night('data');
    const gained = "height <= 40 and denom = 'uatom' group by address having sum(amount) > 0";
    const address = /cosmos1\w+/.exec((await plain.rows('coin_movements', 'address', gained))[0]!)![0];
    const wrong = withoutCoins(begun.case.path('export.json'), address);
    await assert.rejects(
      () => begun.night('data', wrong),
      (error) => error instanceof AuditError && error.message.includes(`"address":"${address}"`),
    );
    assert.equal((await begun.night('data')).outcome.generation, plain.outcome.generation);
  } finally {
    begun.case.remove();
  }
});
