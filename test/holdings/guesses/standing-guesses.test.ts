/** Searches for wrong standing guesses; folds are replaced by comparisons of choices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { explain } from '../../../pipeline/holdings/guesses/guesses.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import type { Choices, Guess } from '../../../pipeline/holdings/state.js';

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
