/** Monthly pieces: however a chain is split into nights, and whatever pieces are lost, the tables have one set of bytes. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { account } from '../holdings/small-chain.js';
import { IS_NIGHT } from '../requirements.js';
import { NightCase, SAMPLE_CHAIN, treeHashes } from './night-case.js';

const chain = new NightCase(SAMPLE_CHAIN);
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

/** Hashes of all tables, except the history of changed figures. The manifest and the catalog name its files. */
function tablesOf(dataDir: string, { generation }: Outcome): Record<string, string> {
  const hashes = Object.entries(treeHashes(chain.path(dataDir, 'generations', generation)));
  const isOfHistory = (file: string) => /^(manifest\.json|catalog\.duckdb|restatements\/.*)$/.test(file);
  return Object.fromEntries(hashes.filter(([file]) => !isOfHistory(file)));
}

const piecesIn = (dataDir: string): string[] => {
  const root = chain.path(dataDir, 'pieces');
  return readdirSync(root).flatMap((step) => readdirSync(join(root, step)).map((key) => join(root, step, key)));
};

const split = fc.record({
  untils: fc.uniqueArray(fc.integer({ min: 40, max: SAMPLE_CHAIN.last - 1 }), { minLength: 1, maxLength: 3 }),
  workers: fc.array(fc.constantFrom(0, 1, 3), { minLength: 4, maxLength: 4 }),
  lost: fc.array(fc.nat(1000), { maxLength: 6 }),
});

test('any split into nights, with any pieces lost and any number of threads, gives the same bytes', async () => {
  let n = 0;
  const property = fc.asyncProperty(split, async ({ untils, workers, lost }) => {
    const dataDir = `split-${n++}`;
    cpSync(chain.path('whole/raw'), chain.path(dataDir, 'raw'), { recursive: true });
    for (const [i, until] of untils.sort((a, b) => a - b).entries()) {
      await chain.night(dataDir, { until, workers: workers[i]! });
      const pieces = piecesIn(dataDir);
      for (const place of lost) rmSync(pieces[place % pieces.length]!, { recursive: true, force: true });
    }
    const last = await chain.night(dataDir, { workers: workers.at(-1)! });
    assert.equal(last.generation, whole.generation);
    assert.deepEqual(tablesOf(dataDir, last), tablesOf('whole', whole));
    rmSync(chain.path(dataDir), { recursive: true });
  });
  await fc.assert(property, { seed: 20261125, numRuns: IS_NIGHT ? 20 : 1, endOnFailure: true });
});

test('a further night makes only the pieces of the open month', async () => {
  cpSync(chain.path('whole/raw'), chain.path('further/raw'), { recursive: true });
  await chain.night('further', { until: SAMPLE_CHAIN.last - 20 });
  const ofClosedMonths = () =>
    piecesIn('further').filter((path) => /[/](holdings-months|reward-months|closed-audits)[/]/.test(path));
  const before = ofClosedMonths();
  const { pieces } = await chain.night('further');
  assert.ok(before.length > 0);
  assert.deepEqual(ofClosedMonths(), before);
  assert.ok(pieces.taken > pieces.made, JSON.stringify(pieces));
  const again = await chain.night('further');
  assert.equal(again.pieces.made, 0);
});

test('a late price and a changed price give the bytes of a night from nothing', async () => {
  const prices = chain.path('prices');
  cpSync(join(projectRoot(), 'test/prices/real'), prices, { recursive: true });
  const file = readdirSync(prices, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('binance/cosmos.csv'),
  )!;
  const lines = readFileSync(join(prices, file), 'utf8').trimEnd().split('\n');
  chain.variables = { HUBLEDGER_PRICE_DIR: prices };
  const write = (kept: readonly string[]) => writeFileSync(join(prices, file), `${kept.join('\n')}\n`);
  write(lines.filter((_, i) => i === 0 || i % 7 > 0));
  cpSync(chain.path('whole/raw'), chain.path('late/raw'), { recursive: true });
  await chain.night('late');
  for (const change of ['late', 'changed'] as const) {
    write(
      change === 'late'
        ? lines
        : lines.map((line, i) => (i % 7 === 0 && i > 0 ? line.replace(/\d(?=\D*$)/, '9') : line)),
    );
    const again = await chain.night('late', { allowRestatement: true });
    cpSync(chain.path('whole/raw'), chain.path(change, 'raw'), { recursive: true });
    assert.deepEqual(tablesOf('late', again), tablesOf(change, await chain.night(change)), change);
  }
  chain.variables = {};
});

/** Corrections of a closed month: coins of a wallet, and a move of no coins, which still gives all rows another classification. */
const CORRECTIONS = [
  { height: 300, what: [{ kind: 'move_coins', from: 'gov', to: 'distribution' }] },
  { height: 320, what: [{ kind: 'adjust_balance', account: account(1), denom: 'uatom', amount: '17' }] },
].map((correction) => ({ ...correction, source: 'a node' }));

if (IS_NIGHT) {
  test('new corrections, a new classification and guesses that are still open give the bytes of a night from nothing', async () => {
    const path = chain.path('corrections.json');
    writeFileSync(path, JSON.stringify(CORRECTIONS));
    cpSync(chain.path('whole/raw'), chain.path('anew/raw'), { recursive: true });
    chain.variables = { HUBLEDGER_CORRECTIONS: path };
    const anew = await chain.night('anew');
    const options = { allowLoss: true, allowRestatement: true };
    for (const until of [381, undefined]) {
      cpSync(chain.path('whole/raw'), chain.path(`until-${until}/raw`), { recursive: true });
      chain.variables = {};
      await chain.night(`until-${until}`, { until });
      const classified = readdirSync(chain.path(`until-${until}`, 'classified'));
      chain.variables = { HUBLEDGER_CORRECTIONS: path };
      const corrected = await chain.night(`until-${until}`, options);
      assert.notDeepEqual(readdirSync(chain.path(`until-${until}`, 'classified')), classified);
      assert.deepEqual(tablesOf(`until-${until}`, corrected), tablesOf('anew', anew));
      chain.variables = {};
      const again = await chain.night(`until-${until}`, options);
      assert.deepEqual(tablesOf(`until-${until}`, again), tablesOf('whole', whole));
    }
    assert.notDeepEqual(tablesOf('anew', anew), tablesOf('whole', whole));
  });
}
