/**
 * Compares nights with standing guesses with one fold that can go back to every guess. Run more chains with
 * `node dist/test/jobs/fold/fold-range.test.js <chains> <seed>`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EdgeCalendar } from '../../../../pipeline/base/values/edges.js';
import { parseTime } from '../../../../pipeline/holdings/values/time.js';
import { loadReference } from '../../../../pipeline/reference.js';
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
} from '../../../holdings/contract-chain.js';
import { openChain, playBlock } from '../../../holdings/model/play.js';
import { type Action, type Scenario, scenarios } from '../../../holdings/model/scenario.js';
import { openFold } from '../../../holdings/model/starting-state.js';
import { block } from '../../../holdings/small-chain.js';
import { IS_NIGHT } from '../../../requirements.js';
import { Killed, Nights, rowsAtOnce } from './nights.js';

const REACH = { blocks: 50, changes: 65_536, guesses: 64 };

const [chains = IS_NIGHT ? '600' : '12', seed = '20260101'] = process.argv.slice(2);

const claims = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => claimBlock(from + i));

test('a night costs its new blocks while nothing tells what a contract asked for', async () => {
  const chain = [block(1, {}), unbondBlock(2), ...claims(3, 400)];
  const nights = new Nights(openContractChain(), chain, REACH);
  try {
    const read: number[] = [];
    for (const last of [40, 80, 160, 240, 320, 400]) {
      await nights.night(last);
      read.push(nights.read);
    }
    assert.deepEqual(read, [40, 79, 80, 80, 80, 80]);
    assert.equal(nights.folder.lastCheckpoint().height, 400);
    assert.deepEqual(await nights.rows(400), await rowsAtOnce(openContractChain(), chain));
  } finally {
    nights.remove();
  }
});

const edgesAt = (...times: string[]) => new EdgeCalendar([], times.map(parseTime));

test('an edge that is added later is folded as if it had always been there, while a guess is open too', async () => {
  const chain = [block(1, {}), ...claims(2, 19), unbondBlock(20), ...claims(21, 800)];
  const times = ['2026-01-01T05:00:00Z', '2026-01-01T20:30:00Z', '2026-01-20T12:00:00Z', '2026-02-02T04:00:00.5Z'];
  const nights = new Nights(openContractChain(), chain, REACH);
  try {
    for (const last of [60, 400, 780]) await nights.night(last);
    assert.equal(nights.read, 380);
    nights.edges = edgesAt(...times);
    await nights.night(800);
    assert.equal(nights.read, 800);
    const rows = await nights.rows(800);
    assert.deepEqual(rows, await rowsAtOnce(openContractChain(), chain, undefined, nights.edges));
    const heightsOf = (some: readonly string[]) =>
      some
        .flatMap((row) => /^validator_edges .*"height":"(\d+)"/.exec(row)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b);
    assert.deepEqual(heightsOf(rows), [4, 20, 467, 772]);
    nights.edges = edgesAt(times[3]!, '2026-02-02T10:00:30Z');
    await nights.night(800);
    assert.equal(nights.read, 800 - 743); // since the end of January, whose edges stay
    assert.deepEqual(heightsOf(await nights.rows(800)), [4, 20, 467, 772, 778]);
  } finally {
    nights.remove();
  }
});

for (const asked of [PAID, PAID + 1n]) {
  test(`asked for ${asked}, paid ${PAID}: nights later a delegation decides about the guess that stands`, async () => {
    const decides = delegateBlock(300, TOKENS - PAID, SHARES * ONE - cost(asked));
    const chain = [block(1, {}), unbondBlock(2), ...claims(3, 299), decides, ...claims(301, 340)];
    const nights = new Nights(openContractChain(), chain, REACH);
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
  const nights = new Nights(openContractChain(), chain, REACH);
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

test('seven guesses stand that would be none without the first, which is wrong: a delegation nights later says so', async () => {
  const chain = claims(1, 400);
  let [tokens, assumed, right] = [TOKENS, SHARES * ONE, SHARES * ONE];
  for (let i = 0; i < 7; i++) {
    const paid = ambiguousPayment(tokens, [assumed], i === 0 ? [] : [right]);
    chain[1 + i * 20] = unbondBlock(2 + i * 20, paid);
    assumed -= cost(paid + 1n, tokens, assumed);
    right -= cost(paid, tokens, right);
    tokens -= paid;
  }
  chain[299] = delegateBlock(300, tokens, right);
  const nights = new Nights(openContractChain(), chain, REACH);
  try {
    await nights.night(200);
    assert.equal(nights.standing().length, 7);
    await nights.night(400);
    assert.deepEqual(
      nights.standing().map(({ choice }) => choice),
      [1],
    );
    assert.deepEqual(await nights.rows(400), await rowsAtOnce(openContractChain(), chain));
  } finally {
    nights.remove();
  }
});

test('a figure that no choice of a guess that stands explains ends the fold before it, and nothing is lost', async () => {
  const strange = delegateBlock(120, TOKENS - PAID, SHARES * ONE - cost(PAID) + 7n * ONE);
  const chain = [block(1, {}), unbondBlock(2), ...claims(3, 119), strange, ...claims(121, 130)];
  const nights = new Nights(openContractChain(), chain, REACH);
  try {
    await nights.night(100);
    const kept = nights.folder.lastCheckpoint();
    await nights.night(130);
    assert.equal(nights.folder.end(130)?.until, 119);
    assert.match(nights.folder.end(130)!.stop!.reason, /issued shares/);
    assert.equal(kept.height, 100);
    assert.deepEqual(await nights.rows(119), await rowsAtOnce(openContractChain(), chain.slice(0, 119)));
  } finally {
    nights.remove();
  }
});

/** Limits slashes, because almost worthless shares overflow the tables. */
const slashedLittle = (scenario: Scenario): Scenario => ({
  ...scenario,
  downtime: scenario.downtime % 100,
  doubleSign: scenario.doubleSign % 100,
});

/** Kinds of random actions, mostly undelegations by contracts. */
const INSTEAD: readonly Action['kind'][] = [
  'undelegate',
  'undelegate',
  'undelegate',
  'delegate',
  'claim',
  'redelegate',
];

/** Slashes the validators in the third block; contracts then mostly undelegate. */
const slashedFirst = (scenario: Scenario): Scenario => ({
  ...slashedLittle(scenario),
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
    blocks: fc.integer({ min: 1, max: 12 }),
    changes: fc.integer({ min: 20, max: 400 }),
    guesses: fc.integer({ min: 1, max: 6 }),
  });
  const property = fc.asyncProperty(
    fc.oneof(
      scenarios(40, true).map(slashedLittle),
      scenarios(60, true).map(slashedFirst),
      scenarios(60, true).map(slashedFirst),
    ),
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
          const before = nights.folder.lastCheckpoint().height;
          await nights.night(last).catch(async (error) => {
            if (!(error instanceof Killed)) throw error;
            sums.killed += 1;
            nights.life = Number.POSITIVE_INFINITY;
            await nights.night(last);
          });
          assert.equal(nights.folder.end(last)?.stop, undefined);
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
