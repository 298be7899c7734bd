/**
 * Guesses (docs/decisions/guesses.md). Rules make them with `guessShares`, `foldWithGuesses` folds while they are open, and
 * `explain` finds wrong standing guesses. Other folders import only this file.
 */
import type { Delegation } from '../delegations.js';
import { Mismatch } from '../holdings-error.js';
import { sharesFromTokens, tokensFromShares } from '../modules/delegation.js';
import type { ChoiceOf, Guess, HoldingsState, Validator } from '../state.js';
import { wholePart } from '../values/decimal18.js';

export {
  type BlocksFrom,
  type Folded,
  type FoldOptions,
  foldWithGuesses,
  type OnCertain,
  REACH,
  type Reach,
} from './open-guesses.js';
export { explain, type Tried } from './standing-guesses.js';

/**
 * Lists the shares for which the chain pays this amount. A payment is at most 1 below the request. The chain refuses
 * requests of 0 (msgServer.Undelegate) or more shares than there are (ValidateUnbondAmount).
 */
function fittingShares(validator: Validator, delegation: Delegation, paid: bigint): bigint[] {
  const amounts = [paid + 1n, paid].filter((asked) => asked > 0n);
  const shares = amounts.map((asked) => sharesFromTokens(validator, asked));
  return [...new Set(shares)].filter((candidate) => {
    if (candidate > delegation.shares) return false;
    const isLast = candidate === validator.shares;
    return (isLast ? validator.tokens : wholePart(tokensFromShares(candidate, validator))) === paid;
  });
}

/**
 * Records a guess if several amounts fit.
 * @param id equal each time the block is folded
 * @throws Mismatch if no amount fits the payment
 */
export function guessShares(
  state: HoldingsState,
  validator: Validator,
  delegation: Delegation,
  { id, paid }: { id: string; paid: bigint },
  choiceOf: ChoiceOf,
): bigint {
  const fitting = fittingShares(validator, delegation, paid);
  const choices = fitting.length;
  const choice = choices > 1 ? (choiceOf(id) ?? 0) : 0;
  const chosen = fitting[choice];
  if (chosen === undefined) {
    const what = 'undelegation by a contract';
    throw new Mismatch({ what, validator: validator.operator, expected: `${paid} paid`, found: 'no fitting amount' });
  }
  if (choices > 1) state.guesses.push({ id, validator: validator.operator, choice, choices, hasEvidence: false });
  return chosen;
}

/** Called after a delegation: its issued shares depend on the choice. */
export function addEvidence(state: HoldingsState, operator: string): void {
  const isHere = ({ validator }: Guess) => validator === operator;
  if (!state.guesses.some(isHere)) return;
  state.guesses = state.guesses.map((guess) => (isHere(guess) ? { ...guess, hasEvidence: true } : guess));
}
