/**
 * Search for a guess that stands and is wrong. When no guess on trial explains a figure of the chain, blocks are folded once more from a
 * checkpoint, and no row is kept, with other choices of guesses that stand, until some of them explain it.
 */
import { heightOf } from '../../holdings/folding.js';
import type { HoldingsError } from '../../holdings/holdings-error.js';
import type { Guess } from '../../holdings/state.js';

/** Choices of guesses that stand, by guess. */
export type Choices = ReadonlyMap<string, number>;

/** Folds at the most beyond one for each guess at the difference's validator: what more do not explain is not the chain's. */
const FOLDS_MAX = 31;

/** The choices that explain a figure. */
export interface Explanation {
  readonly choices: Choices;
  /** Height of the oldest guess of which it is another choice than was assumed. */
  readonly from: number;
}

/**
 * Finds the choices that explain a figure.
 * @param fold folds to the block of the figure with these choices, from a checkpoint before that height, and gives the difference it meets
 * @returns undefined when no choices do
 */
export async function explain(
  error: HoldingsError,
  fold: (explanation: Explanation) => Promise<HoldingsError | undefined>,
): Promise<Explanation | undefined> {
  const assumed = choicesOf(error.standing);
  const tried = new Set<string>();
  const triedMax = FOLDS_MAX + error.standing.filter(isAt(error)).length;
  const differences = [error];
  for (const difference of differences) {
    for (const choices of otherChoices(difference)) {
      const changed = [...choices.keys()].filter((id) => choices.get(id) !== assumed.get(id));
      if (changed.length === 0 || tried.has(textOf(choices))) continue;
      if (tried.size === triedMax) return undefined;
      tried.add(textOf(choices));
      const explanation = { choices, from: Math.min(...changed.map(heightOf)) };
      const next = await fold(explanation);
      if (!next) return explanation;
      differences.push(next); // other guesses may stand there
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

/**
 * Lists other choices than the assumed ones, the likeliest first. A figure tells how many guesses at its validator are wrong, since each is
 * about a share off, and seldom which: one after the other is taken to be, the latest first. Then come all choices in turn.
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
  yield* allChoices([...here!, ...elsewhere!]);
}

/** Counts through all choices but the assumed ones; those of the first guesses change fastest. */
function* allChoices(guesses: readonly Guess[]): Generator<Choices> {
  const choices = choicesOf(guesses);
  for (;;) {
    for (const { id, choices: count } of guesses) {
      const next = (choices.get(id)! + 1) % count;
      choices.set(id, next);
      if (next > 0) break;
    }
    if (guesses.every(({ id, choice }) => choices.get(id) === choice)) return;
    yield new Map(choices);
  }
}
