/**
 * Search for a guess that stands and is wrong. When no guess on trial explains a figure of the chain, blocks are folded once more from a
 * checkpoint, and no row is kept, with other choices of guesses that stand, until some of them explain it.
 */
import { heightOf } from '../../holdings/folding.js';
import type { HoldingsError } from '../../holdings/holdings-error.js';
import type { Guess } from '../../holdings/state.js';

/** Choices of guesses that stand, by guess. */
export type Choices = ReadonlyMap<string, number>;

/** Folds that are tried however many blocks they take, beside one for each guess at the difference's validator. */
const FOLDS_MIN = 31;
/** Folds, and blocks in all of them, at the most else: what more do not explain is not the chain's. */
const FOLDS_MAX = 1024;
const BLOCKS_MAX = 1_000_000;

/** The choices that explain a figure. */
export interface Explanation {
  readonly choices: Choices;
  /** Height of the oldest guess of which it is another choice than was assumed. */
  readonly from: number;
}

/** The outcome of a fold with other choices. */
export interface Tried {
  /** The difference that it met, if it met one. */
  readonly difference: HoldingsError | undefined;
  /** Number of blocks folded. */
  readonly blocks: number;
}

/**
 * Finds the choices that explain a figure.
 * @param fold folds to the block of the figure with these choices, from a checkpoint before that height
 * @returns undefined when no choices do
 */
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
      differences.push(outcome.difference); // with what stands there, from which further choices follow
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

/** Guesses whose combinations are all tried first, in the order in which a fold that can go back to each of them tries these. */
const COUNTED_MAX = 5;

/** Lists the choices to try for a figure: what it would be found by if nothing stood, and then what follows from the figure alone. */
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
 * Lists choices to try next, the likeliest first. A figure tells how many guesses at its validator are wrong, since each is about a share
 * off, and seldom which: one after the other is taken to be, the latest first. Then comes each guess alone.
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
