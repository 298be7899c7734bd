/**
 * Undelegations by contracts: no message of the transaction says which amount was asked for, so the shares removed are
 * found from what was paid. At a rate other than 1 two amounts may fit; then one is assumed, and proved once the blocks after it
 * disprove the other.
 */

import type { Delegation } from '../delegations.js';
import { Mismatch } from '../holdings-error.js';
import { sharesFromTokens } from '../modules/delegation.js';
import { tokensFromShares } from '../modules/unclaimed-reward.js';
import type { Guess, HoldingsState, Validator } from '../state.js';
import { wholePart } from '../values/decimal18.js';

/** The fitting amount to assume, as its index, by guess: 0 unless it was disproved. */
export type Decisions = Pick<ReadonlyMap<string, number>, 'get'>;

/**
 * Lists all numbers of shares for which the chain would have paid this. Paid amounts are at most 1 below what was asked. The chain
 * refuses to undelegate nothing (x/staking msgServer.Undelegate), or an amount of more shares than there are (ValidateUnbondAmount).
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
 * The shares that an undelegation of unknown amount removed.
 * @param id names the event, the same each time the block is folded
 * @throws Mismatch when no amount gives what was paid
 */
export function guessShares(
  state: HoldingsState,
  validator: Validator,
  delegation: Delegation,
  { id, paid }: { id: string; paid: bigint },
  decisions: Decisions,
): bigint {
  const fitting = fittingShares(validator, delegation, paid);
  const choices = fitting.length;
  const choice = choices > 1 ? (decisions.get(id) ?? 0) : 0; // a decision is one among several
  const chosen = fitting[choice];
  if (chosen === undefined) {
    const what = 'undelegation by a contract';
    throw new Mismatch({ what, validator: validator.operator, expected: `${paid} paid`, found: 'no fitting amount' });
  }
  if (choices > 1) state.guesses.push({ id, validator: validator.operator, choice, choices, hasEvidence: false });
  return chosen;
}

/** A later delegation says how many shares an amount bought: under another choice it may be another number. */
export function addEvidence(state: HoldingsState, operator: string): void {
  const isHere = ({ validator }: Guess) => validator === operator;
  if (!state.guesses.some(isHere)) return;
  state.guesses = state.guesses.map((guess) => (isHere(guess) ? { ...guess, hasEvidence: true } : guess));
}
