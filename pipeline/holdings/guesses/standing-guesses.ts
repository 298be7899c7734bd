/**
 * Searches for a wrong standing guess if no open one explains a figure: folds blocks again from a checkpoint with other
 * choices.
 */

import type { HoldingsError } from '../holdings-error.js';
import type { Choices, Guess } from '../state.js';
import { heightOf } from './open-guesses.js';

/** Minimum attempts, in addition to one per guess at the validator. */
const FOLDS_MIN = 31;
const FOLDS_MAX = 1024;
const BLOCKS_MAX = 1_000_000;

interface Explanation {
  readonly choices: Choices;
  /** Oldest changed guess. */
  readonly from: number;
}

export interface Tried {
  readonly difference: HoldingsError | undefined;
  readonly blocks: number;
}

/** @param fold folds from a checkpoint to the figure's block */
export async function explain(
  error: HoldingsError,
  fold: (explanation: Explanation) => Promise<Tried>,
): Promise<Explanation | undefined> {
  const assumed = choicesOf(error.standing);
  const tried = new Set<string>();
  const least = FOLDS_MIN + error.standing.filter(isAt(error)).length;
  let blocks = 0;
  const differences = [error];
  for (const difference of differences) {
    for (const choices of difference === error ? firstChoices(error) : otherChoices(difference)) {
      const changed = [...choices.keys()].filter((id) => choices.get(id) !== assumed.get(id));
      if (changed.length === 0 || tried.has(textOf(choices))) continue;
      if (tried.size >= least && (tried.size >= FOLDS_MAX || blocks >= BLOCKS_MAX)) return undefined;
      tried.add(textOf(choices));
      const explanation = { choices, from: Math.min(...changed.map(heightOf)) };
      const outcome = await fold(explanation);
      if (!outcome.difference) return explanation;
      differences.push(outcome.difference); // its guesses yield further choices
      blocks += outcome.blocks;
    }
  }
  return undefined;
}

const choicesOf = (standing: readonly Guess[]): Map<string, number> =>
  new Map(standing.map(({ id, choice }) => [id, choice]));

const textOf = (choices: Choices) => JSON.stringify([...choices].sort());

const isAt =
  ({ difference }: HoldingsError) =>
  ({ validator }: Guess) =>
    validator === difference.validator;

const COUNTED_MAX = 5;

function* firstChoices(error: HoldingsError): Generator<Choices> {
  const counted = [...error.standing].reverse().filter(isAt(error)).slice(0, COUNTED_MAX);
  const choices = choicesOf(error.standing);
  for (let i = 1; i < counted.reduce((product, guess) => product * guess.choices, 1); i++) {
    for (const { id, choices: count } of counted) {
      const next = (choices.get(id)! + 1) % count;
      choices.set(id, next);
      if (next > 0) break;
    }
    yield new Map(choices);
  }
  yield* otherChoices(error);
}

/**
 * Yields further choices, most likely first. Each wrong guess shifts the figure by about one share, so the latest guesses
 * are changed cumulatively, then each guess alone.
 */
function* otherChoices(error: HoldingsError): Generator<Choices> {
  const latest = [...error.standing].reverse();
  const [here, elsewhere] = [true, false].map((isHere) => latest.filter((guess) => isAt(error)(guess) === isHere));
  const choices = choicesOf(error.standing);
  for (const { id, choice, choices: count } of here!) {
    if (choice + 1 === count) continue;
    choices.set(id, choice + 1);
    yield new Map(choices);
  }
  for (const { id, choice, choices: count } of [...here!, ...elsewhere!]) {
    yield choicesOf(error.standing).set(id, (choice + 1) % count);
  }
}
