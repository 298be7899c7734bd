/** Guesses are proved or disproved by later blocks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { projectRoot } from '../../pipeline/base/project.js';
import type { FullBlock } from '../../pipeline/chain/block.js';
import { deserializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlocks } from '../../pipeline/holdings/fold-blocks.js';
import { explain, type HoldingsRow, type Reach } from '../../pipeline/holdings/guesses.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import type { Choices, Guess, HoldingsState } from '../../pipeline/holdings/state.js';
import { formatDecimal18 } from '../../pipeline/holdings/values/decimal18.js';
import {
  claimBlock,
  contractShares,
  cost,
  delegateBlock,
  ONE,
  openContractChain as open,
  PAID,
  SHARES,
  TOKENS,
  unbondBlock,
} from './contract-chain.js';
import { linesOf } from './recording.js';
import { block, event, operator } from './small-chain.js';

/** Tables with rows of each block, whatever is guessed. */
const OF_BLOCKS: ReadonlySet<string> = new Set(['block_nanos', 'validator_rates']);

const REACH: Reach = { blocks: 8192, changes: 65_536, guesses: 64 };

test('the example in docs/decisions/guesses.md has the figures of the chain', () => {
  const page = readFileSync(join(projectRoot(), 'docs/decisions/guesses.md'), 'utf8');
  const formatted = (shares: bigint) => formatDecimal18(shares).replace(/\B(?=(\d{3})+\.)/g, ',');
  for (const asked of [PAID, PAID + 1n]) {
    const left = SHARES * ONE - cost(asked);
    for (const shares of [cost(asked), left, (left * 5000n) / (TOKENS - PAID)]) {
      assert.ok(page.includes(formatted(shares)), formatted(shares));
    }
  }
});

for (const asked of [PAID, PAID + 1n]) {
  test(`asked for ${asked}, paid ${PAID}: the next delegation decides`, async () => {
    const blocks = [
      block(1, {}),
      unbondBlock(2),
      block(3, {}),
      delegateBlock(4, TOKENS - PAID, SHARES * ONE - cost(asked)),
      block(5, {}),
    ];
    const rows: string[] = [];
    const folded = await foldBlocks(
      open(),
      (height) => blocks.slice(height - 1),
      (table, row) => OF_BLOCKS.has(table) || rows.push(`${table} ${'shares' in row ? row.shares : ''}`),
    );
    assert.equal(contractShares(folded.state), (SHARES / 2n) * ONE - cost(asked));
    assert.deepEqual(folded.state.guesses, []);
    assert.deepEqual(folded.assumed, []);
    assert.deepEqual(rows, [`delegation_spans ${(SHARES / 2n) * ONE}`, 'reward_ratios ', 'reward_ratios ']);
    assert.deepEqual([...folded.checkpoint()], linesOf(folded.state));
  });
}

for (const [between, reads] of [
  [0, [1]],
  [62, [1]],
  [63, [1, 2]],
  [150, [1, 2]],
] as const) {
  test(`a guess disproved ${between + 1} blocks later: blocks are asked for from ${reads.join(' and ')} on`, async () => {
    const last = between + 3;
    const quiet = Array.from({ length: between }, (_, i) => block(i + 3, {}));
    const decides = delegateBlock(last, TOKENS - PAID, SHARES * ONE - cost(PAID));
    const blocks = [block(1, {}), unbondBlock(2), ...quiet, decides, block(last + 1, {})];
    const asked: number[] = [];
    const folded: number[] = [];
    const { state } = await foldBlocks(
      open(),
      (height) => {
        asked.push(height);
        return blocks.slice(height - 1);
      },
      () => {},
      { onBlock: ({ height }) => folded.push(height) },
    );
    assert.equal(contractShares(state), (SHARES / 2n) * ONE - cost(PAID));
    assert.deepEqual(asked, reads);
    const heights = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    assert.deepEqual(folded, [...heights(1, last - 1), ...heights(2, last + 1)]);
  });
}

for (const asked of [PAID, PAID + 1n]) {
  test(`asked for ${asked}, paid ${PAID}: a delegation in the same block decides`, async () => {
    const first = unbondBlock(1).transactions[0]!;
    const second = delegateBlock(1, TOKENS - PAID, SHARES * ONE - cost(asked)).transactions[0]!;
    const moved = block(1, { transaction: { messages: first.messages, events: [...first.events, ...second.events] } });
    const { state } = await foldBlocks(
      open(),
      (height) => [moved].slice(height - 1),
      () => {},
    );
    assert.equal(contractShares(state), (SHARES / 2n) * ONE - cost(asked));
    assert.deepEqual(state.guesses, []);
  });
}

for (const asked of [PAID, PAID + 1n]) {
  test(`a passed proposal asked for ${asked}, and no message of the block says so: the next delegation decides`, async () => {
    const { events } = unbondBlock(1).transactions[0]!;
    const passed = event('active_proposal', { proposal_id: '1', proposal_result: 'proposal_passed' });
    const blocks = [
      block(1, { end: [...events, passed] }),
      delegateBlock(2, TOKENS - PAID, SHARES * ONE - cost(asked)),
      block(3, {}),
    ];
    const { state } = await foldBlocks(
      open(),
      (height) => blocks.slice(height - 1),
      () => {},
    );
    assert.equal(contractShares(state), (SHARES / 2n) * ONE - cost(asked));
    assert.deepEqual(state.guesses, []);
  });
}

test('while a guess is open its rows are held back, and the checkpoint is the state before it', async () => {
  const blocks = [block(1, {}), unbondBlock(2), block(3, {})];
  const rows: unknown[] = [];
  const folded = await foldBlocks(
    open(),
    (height) => blocks.slice(height - 1),
    (table, row) => OF_BLOCKS.has(table) || rows.push(row),
  );
  assert.equal(folded.state.guesses.length, 1);
  assert.equal(rows.length, 0);
  const assumed = folded.assumed.map(({ table }) => table).filter((table) => !OF_BLOCKS.has(table));
  assert.deepEqual(assumed.sort(), ['delegation_spans', 'reward_ratios']);
  const resumed = deserializeState(folded.checkpoint(), sha256);
  assert.equal(resumed.height, 1);

  const later = [...blocks, delegateBlock(4, TOKENS - PAID, SHARES * ONE - cost(PAID))];
  const settled = await foldBlocks(
    resumed,
    (height) => later.slice(height - 1),
    (table, row) => OF_BLOCKS.has(table) || rows.push(row),
  );
  assert.equal(contractShares(settled.state), (SHARES / 2n) * ONE - cost(PAID));
  assert.equal(rows.length, 3); // the contract's first span, and the ratios at which it and Bob began
});

test('a guess that nothing tells stands after some blocks: rows are handed out, and nothing is kept to go back', async () => {
  const LAST = 1000;
  const claims = Array.from({ length: LAST - 2 }, (_, i) => claimBlock(i + 3));
  const blocks = [block(1, {}), unbondBlock(2), ...claims];
  const fold = async (reach: Reach) => {
    const emitted: HoldingsRow[] = [];
    let kept = 0;
    const onBlock = ({ journal }: HoldingsState) => {
      kept = Math.max(kept, journal.size);
    };
    const blocksFrom = (height: number) => blocks.slice(height - 1);
    const emit = (table: string, row: unknown) => OF_BLOCKS.has(table) || emitted.push({ table, row } as HoldingsRow);
    const folded = await foldBlocks(open(), blocksFrom, emit, { onBlock, reach });
    const assumed = folded.assumed.filter(({ table }) => !OF_BLOCKS.has(table));
    return { ...folded, assumed, emitted, kept };
  };
  const unbounded = await fold({ blocks: LAST, changes: LAST * 10, guesses: 1 });
  assert.deepEqual([unbounded.settled, unbounded.emitted], [1, []]);
  for (const [name, reach, most] of [
    ['blocks', { ...REACH, blocks: 100 }, 110],
    ['changes', { ...REACH, changes: 300 }, 110],
    ['guesses', { ...REACH, guesses: 0 }, 10],
  ] as const) {
    const bounded = await fold(reach);
    assert.equal(bounded.settled, LAST, name);
    assert.deepEqual(bounded.assumed, [], name);
    assert.deepEqual(bounded.emitted, unbounded.assumed, name);
    assert.ok(bounded.kept < most, `${name}: ${bounded.kept} changes`);
    assert.deepEqual(
      bounded.state.guesses.map(({ choice, choices }) => [choice, choices]),
      [[0, 2]],
      name,
    );
  }
});

for (const first of [PAID, PAID + 1n]) {
  for (const second of [PAID, PAID + 1n]) {
    test(`asked for ${first} and then for ${second} elsewhere: the later guess is decided first, and once`, async () => {
      const decide = (height: number, asked: bigint, validator: string) =>
        delegateBlock(height, TOKENS - PAID, SHARES * ONE - cost(asked), validator);
      const blocks = [
        block(1, {}),
        unbondBlock(2, PAID, operator(1)),
        unbondBlock(3, PAID, operator(2)),
        claimBlock(4),
        decide(5, second, operator(2)),
        ...Array.from({ length: 20 }, (_, i) => claimBlock(i + 6)),
      ];
      const fold = async (chain: readonly FullBlock[]) => {
        const folded: number[] = [];
        const onBlock = ({ height }: HoldingsState) => folded.push(height);
        const blocksFrom = (height: number) => chain.slice(height - 1);
        const { state } = await foldBlocks(open(2), blocksFrom, () => {}, { onBlock });
        return { state, folded };
      };
      const { state, folded } = await fold(blocks);
      assert.deepEqual(
        state.guesses.map(({ validator }) => validator),
        [operator(1)],
      );
      assert.equal(folded.filter((height) => height === 3).length, second === PAID + 1n ? 3 : 2);
      assert.equal(folded.filter((height) => height > 5).length, 20);
      const decided = await fold([...blocks, decide(26, first, operator(1))]);
      assert.deepEqual(decided.state.guesses, []);
      assert.equal(contractShares(decided.state, operator(1)), (SHARES / 2n) * ONE - cost(first));
      assert.equal(contractShares(decided.state, operator(2)), (SHARES / 2n) * ONE - cost(second));
    });
  }
}

test('two guesses at one validator are settled together', async () => {
  const firstCost = cost(PAID);
  const shares = SHARES * ONE - firstCost;
  const tokens = TOKENS - PAID;
  const secondCosts = [PAID, PAID + 1n].map((asked) => (shares * asked) / tokens);
  const fits = secondCosts.filter((more) => {
    const exact = (more * tokens * ONE * ONE) / shares;
    return (exact + ONE / 2n) / ONE / ONE === PAID;
  });
  assert.ok(fits.length > 0);
  for (const more of fits) {
    const blocks = [unbondBlock(1), unbondBlock(2), delegateBlock(3, tokens - PAID, shares - more)];
    const folded = await foldBlocks(
      open(),
      (height) => blocks.slice(height - 1),
      () => {},
    );
    assert.equal(contractShares(folded.state), (SHARES / 2n) * ONE - firstCost - more);
  }
});

test('when no choice explains the chain, the fold ends with the difference', async () => {
  const blocks = [block(1, {}), unbondBlock(2), delegateBlock(3, TOKENS - PAID, SHARES * ONE - cost(PAID) + 7n * ONE)];
  const fold = foldBlocks(
    open(),
    (height) => blocks.slice(height - 1),
    () => {},
  );
  await assert.rejects(fold, (error) => error instanceof HoldingsError && error.difference.what === 'issued shares');
});

test('an error that is not the chain’s passes through', async () => {
  const broken = (): Iterable<FullBlock> => {
    throw new Error('no such file');
  };
  await assert.rejects(
    foldBlocks(open(), broken, () => {}),
    /no such file/,
  );
});

/** Searches for wrong standing guesses; folds are replaced by comparisons of choices. */

const [HERE, ELSEWHERE] = ['here', 'elsewhere'];

/** One guess per letter, from height 10: h at the difference's validator, e elsewhere; capitals are the second choice. */
const guesses = (letters: string): Guess[] =>
  [...letters].map((letter, i) => ({
    id: `${10 + i}/0/0`,
    validator: letter.toLowerCase() === 'h' ? HERE! : ELSEWHERE!,
    choice: letter === letter.toUpperCase() ? 1 : 0,
    choices: 2,
    hasEvidence: true,
  }));

function difference(standing: readonly Guess[]): HoldingsError {
  const about = { what: 'issued shares', validator: HERE, expected: '1', found: '2' };
  const error = new HoldingsError(99, 'HASH', about, 'they differ', { day: '', upgrade: null, messageTypes: [] });
  error.standing = standing;
  return error;
}

const textOf = (letters: string, choices: Choices) =>
  [...letters]
    .map((letter, i) => (choices.get(`${10 + i}/0/0`) ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');

/** Returns the tried choices in order, until a right one. */
async function tried(letters: string, right: readonly string[], blocks = 1_000_000) {
  const tries: string[] = [];
  const found = await explain(difference(guesses(letters)), async ({ choices, from }) => {
    const text = textOf(letters, choices);
    tries.push(`${text} from ${from}`);
    return { difference: right.includes(text) ? undefined : difference(guesses(text)), blocks };
  });
  return { tries, found };
}

test('combinations of the latest guesses at the validator come first, in the order of a fold that goes back', async () => {
  const { tries, found } = await tried('heheh', ['HehEh', 'HeHeH']);
  assert.deepEqual(tries.slice(0, 4), ['heheH from 14', 'heHeh from 12', 'heHeH from 12', 'Heheh from 10']);
  assert.deepEqual(tries.slice(4), ['HeheH from 10', 'HeHeh from 10', 'HeHeH from 10']);
  assert.equal(found?.from, 10);
  assert.deepEqual((await tried('hH', ['Hh'])).tries, ['Hh from 10']);
});

test('then those of more guesses there, one after the other, then each guess alone, and what follows from these', async () => {
  const { tries } = await tried('heh', ['HEh']);
  assert.deepEqual(tries.slice(0, 3), ['heH from 12', 'Heh from 10', 'HeH from 10']);
  assert.deepEqual(tries.slice(3), ['hEh from 11', 'hEH from 11', 'HEh from 10']);
  const many = await tried('hhhhhhh', ['HHHHHHH']);
  assert.equal(many.tries.length, 31 + 2);
});

test('no combination is tried twice, and all of a few are', async () => {
  const letters = fc.string({ unit: fc.constantFrom('h', 'H', 'e', 'E'), maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(letters, async (assumed) => {
      const { tries, found } = await tried(assumed, []);
      assert.equal(found, undefined);
      assert.equal(new Set(tries).size, tries.length);
      assert.equal(tries.length, 2 ** assumed.length - 1);
    }),
  );
});

test('of many guesses each at the validator is tried, and some combinations more: many more where blocks are few', async () => {
  const [here, elsewhere] = ['h'.repeat(40), `${'e'.repeat(40)}h`];
  assert.equal((await tried(here, [])).tries.length, 40 + 31);
  assert.equal((await tried(elsewhere, [])).tries.length, 1 + 31);
  assert.equal((await tried(here, [], 10_000)).tries.length, 100);
  assert.equal((await tried(here, [], 1)).tries.length, 1024);
});

test('a guess that stands only where another choice is taken is tried too', async () => {
  const one = guesses('h');
  const both = guesses('Hh');
  const found = await explain(difference(one), async ({ choices }) => {
    return { difference: textOf('hh', choices) === 'HH' ? undefined : difference(both), blocks: 1 };
  });
  assert.deepEqual([...found!.choices.values()], [1, 1]);
});
