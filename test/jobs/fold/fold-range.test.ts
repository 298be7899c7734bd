/**
 * Nights of the fold with guesses that stand, against one fold from the start that keeps all it needs to go back. Many more of them:
 * `node dist/test/jobs/fold/fold-range.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FullBlock } from '../../../pipeline/chain/block.js';
import { readLines, writeLines } from '../../../pipeline/disk/lines.js';
import { Database } from '../../../pipeline/duckdb/database.js';
import { readTable } from '../../../pipeline/duckdb/table.js';
import { deserializeState, serializeState } from '../../../pipeline/holdings/checkpoint.js';
import { REACH, type Reach } from '../../../pipeline/holdings/folding.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import type { Guess, HoldingsState } from '../../../pipeline/holdings/state.js';
import { NOTHING_REVIEWED, type ReviewedChanges } from '../../../pipeline/holdings/state-changes.js';
import { foldRange } from '../../../pipeline/jobs/fold/fold-range.js';
import {
  checkpointFile,
  FOLDED_TABLES,
  foldEnd,
  foldedFolders,
  lastCheckpoint,
  startFile,
  startFolder,
  tableFile,
  tidyHoldings,
} from '../../../pipeline/jobs/fold/holdings-folder.js';
import { loadReference } from '../../../pipeline/reference.js';
import {
  ambiguousPayment,
  claimBlock,
  cost,
  delegateBlock,
  ONE,
  openContractChain,
  PAID,
  SHARES,
  TOKENS,
  unbondBlock,
} from '../../holdings/contract-chain.js';
import { openChain, playBlock } from '../../holdings/model/play.js';
import { type Action, type Scenario, scenarios } from '../../holdings/model/scenario.js';
import { openFold } from '../../holdings/model/starting-state.js';
import { block } from '../../holdings/small-chain.js';

const [chains = '12', seed = '20260101'] = process.argv.slice(2);

/** More than any of these chains needs. */
const UNBOUNDED: Reach = { blocks: 1e9, changes: 1e9, guesses: 1e9 };

class Killed extends Error {}

/** A holdings folder with the nights that fold into it. */
class Nights {
  readonly folder = mkdtempSync(join(tmpdir(), 'hubledger-fold-range-'));
  /** Number of blocks that the last night has read. */
  read = 0;
  /** Number of blocks after which a night is killed. */
  life = Number.POSITIVE_INFINITY;

  constructor(
    begin: HoldingsState,
    private readonly chain: readonly FullBlock[],
    private readonly reach: Reach,
    private readonly reviewed: ReviewedChanges = NOTHING_REVIEWED,
  ) {
    const start = startFolder(this.folder);
    mkdirSync(start);
    writeLines(checkpointFile(start), serializeState(begin));
    writeFileSync(startFile(start), JSON.stringify({ height: begin.height }));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  async night(last: number): Promise<void> {
    this.read = 0;
    await foldRange(this.folder, last, (from, to) => this.blocks(from, to), this.reviewed, this.reach);
    tidyHoldings(this.folder, foldEnd(this.folder, last)!.until);
  }

  /** Guesses that stand after the last night. */
  standing(): readonly Guess[] {
    return deserializeState(readLines(checkpointFile(lastCheckpoint(this.folder).path)), sha256).guesses;
  }

  private async *blocks(from: number, to: number): AsyncGenerator<FullBlock> {
    for (const one of this.chain.slice(from - 1, to)) {
      this.read += 1;
      if (--this.life < 0) throw new Killed();
      yield one;
    }
  }

  /** All rows as of a height, as texts. */
  async rows(height: number): Promise<string[]> {
    const database = await Database.open(join(this.folder, 'spill'), { threads: 1 });
    try {
      const found: string[] = [];
      const folders = foldedFolders(this.folder, height).slice(1);
      for (const table of FOLDED_TABLES) {
        const files = folders.map((folder) => tableFile(folder, table));
        await database.attach(table, files);
        const texts = readTable(table).columns.map(({ name }) => `"${name}"::varchar as "${name}"`);
        for (const row of await database.all<object>(`select ${texts.join(', ')} from "${table}"`)) {
          found.push(`${table} ${JSON.stringify(row)}`);
        }
      }
      return found.sort();
    } finally {
      database.close();
    }
  }
}

/** Rows as one fold gives them that can go back to every guess. */
async function rowsAtOnce(begin: HoldingsState, chain: readonly FullBlock[], reviewed?: ReviewedChanges) {
  const nights = new Nights(begin, chain, UNBOUNDED, reviewed);
  try {
    await nights.night(chain.length);
    return await nights.rows(chain.length);
  } finally {
    nights.remove();
  }
}

const claims = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => claimBlock(from + i));

test('a night costs its new blocks while nothing tells what a contract asked for', async () => {
  const chain = [block(1, {}), unbondBlock(2), ...claims(3, 400)];
  const nights = new Nights(openContractChain(), chain, { ...REACH, blocks: 50 });
  try {
    const read: number[] = [];
    for (const last of [40, 80, 160, 240, 320, 400]) {
      await nights.night(last);
      read.push(nights.read);
    }
    assert.deepEqual(read, [40, 79, 80, 80, 80, 80]);
    assert.equal(lastCheckpoint(nights.folder).height, 400);
    assert.deepEqual(await nights.rows(400), await rowsAtOnce(openContractChain(), chain));
  } finally {
    nights.remove();
  }
});

for (const asked of [PAID, PAID + 1n]) {
  test(`asked for ${asked}, paid ${PAID}: nights later a delegation decides about the guess that stands`, async () => {
    const decides = delegateBlock(300, TOKENS - PAID, SHARES * ONE - cost(asked));
    const chain = [block(1, {}), unbondBlock(2), ...claims(3, 299), decides, ...claims(301, 340)];
    const nights = new Nights(openContractChain(), chain, { ...REACH, blocks: 50 });
    try {
      for (const last of [100, 200, 280, 320]) await nights.night(last);
      const wrong = asked === PAID; // it is assumed that one more was asked for
      assert.equal(nights.read, wrong ? 20 + 300 + 320 : 40);
      await nights.night(340);
      assert.equal(nights.read, 20);
      assert.deepEqual(await nights.rows(340), await rowsAtOnce(openContractChain(), chain));
    } finally {
      nights.remove();
    }
  });
}

test('three guesses that stand are all wrong: a delegation nights later says so', async () => {
  const chain = claims(1, 400);
  let [tokens, possible] = [TOKENS, [SHARES * ONE]]; // the first of them are those that are right
  for (const height of [2, 62, 122]) {
    const paid = ambiguousPayment(tokens, possible);
    chain[height - 1] = unbondBlock(height, paid);
    possible = possible.flatMap((shares) => [paid, paid + 1n].map((asked) => shares - cost(asked, tokens, shares)));
    tokens -= paid;
  }
  chain[299] = delegateBlock(300, tokens, possible[0]!);
  const nights = new Nights(openContractChain(), chain, { ...REACH, blocks: 50 });
  try {
    for (const last of [100, 200]) await nights.night(last);
    assert.deepEqual(
      nights.standing().map(({ choice }) => choice),
      [0, 0, 0],
    );
    for (const last of [320, 400]) await nights.night(last);
    assert.deepEqual(
      nights.standing().map(({ choice }) => choice),
      [1, 1, 1],
    );
    assert.equal(nights.read, 80);
    assert.deepEqual(await nights.rows(400), await rowsAtOnce(openContractChain(), chain));
  } finally {
    nights.remove();
  }
});

test('a figure that no choice of a guess that stands explains ends the fold before it, and nothing is lost', async () => {
  const strange = delegateBlock(120, TOKENS - PAID, SHARES * ONE - cost(PAID) + 7n * ONE);
  const chain = [block(1, {}), unbondBlock(2), ...claims(3, 119), strange, ...claims(121, 130)];
  const nights = new Nights(openContractChain(), chain, { ...REACH, blocks: 50 });
  try {
    await nights.night(100);
    const kept = lastCheckpoint(nights.folder);
    await nights.night(130);
    assert.equal(foldEnd(nights.folder, 130)?.until, 119);
    assert.match(foldEnd(nights.folder, 130)!.stop!.reason, /issued shares/);
    assert.equal(kept.height, 100);
    assert.deepEqual(await nights.rows(119), await rowsAtOnce(openContractChain(), chain.slice(0, 119)));
  } finally {
    nights.remove();
  }
});

/** What a random action is instead: most are undelegations by contracts. */
const INSTEAD: readonly Action['kind'][] = [
  'undelegate',
  'undelegate',
  'undelegate',
  'delegate',
  'claim',
  'redelegate',
];

/** The chain with its validators slashed in the third block, after which contracts undelegate more than anything else is done. */
const slashedFirst = (scenario: Scenario): Scenario => ({
  ...scenario,
  downtime: 10 + (scenario.downtime % 90),
  blocks: scenario.blocks.map((plan, i) => ({
    ...plan,
    downtime: i === 2 ? [0, 1, 2, 3] : [],
    transactions: plan.transactions.map(({ depth, actions }) => ({
      depth,
      actions: actions.map((action, j) => {
        const kind = INSTEAD[(action.who + j) % INSTEAD.length]!;
        return { ...action, kind, choice: kind === 'undelegate' ? action.choice * 2 : action.choice };
      }),
    })),
  })),
});

test('nights that end anywhere, or are killed, give the rows of one fold from the start', async (context) => {
  const { upgrades } = loadReference();
  const reviewed = { upgrades, corrections: [] };
  const sums = { nights: 0, killed: 0, again: 0, standing: 0 };
  const reaches = fc.record({
    blocks: fc.integer({ min: 1, max: 6 }),
    changes: fc.integer({ min: 1, max: 200 }),
    guesses: fc.nat(3),
  });
  const property = fc.asyncProperty(
    fc.oneof(scenarios(40, true), scenarios(60, true).map(slashedFirst), scenarios(60, true).map(slashedFirst)),
    reaches,
    fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }),
    fc.array(fc.nat(60), { maxLength: 3 }),
    async (scenario, reach, ends, lives) => {
      const played = openChain(scenario);
      const begin = () => openFold(openChain(scenario));
      const chain = scenario.blocks.map((plan) => playBlock(played, plan).block);
      const nights = new Nights(begin(), chain, reach, reviewed);
      try {
        const lasts = ends.filter((end) => end < chain.length).sort((a, b) => a - b);
        for (const last of new Set([...lasts, chain.length])) {
          nights.life = lives.pop() ?? Number.POSITIVE_INFINITY;
          const before = lastCheckpoint(nights.folder).height;
          await nights.night(last).catch(async (error) => {
            if (!(error instanceof Killed)) throw error;
            sums.killed += 1;
            nights.life = Number.POSITIVE_INFINITY;
            await nights.night(last);
          });
          assert.equal(foldEnd(nights.folder, last)?.stop, undefined);
          sums.nights += 1;
          sums.again += nights.read > last - before ? 1 : 0;
          sums.standing += nights.standing().length;
        }
        assert.deepEqual(await nights.rows(chain.length), await rowsAtOnce(begin(), chain, reviewed));
      } finally {
        nights.remove();
      }
    },
  );
  await fc.assert(property, { seed: Number(seed), numRuns: Number(chains), endOnFailure: true });
  context.diagnostic(`${sums.nights} nights, ${sums.killed} killed; ${sums.again} went back behind their first block`);
  context.diagnostic(`${sums.standing} guesses stood when they ended`);
  assert.ok(sums.killed > 0 && sums.again > 0 && sums.standing > 0);
});
