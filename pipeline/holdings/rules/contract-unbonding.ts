/**
 * Undelegations by contracts: no message of the transaction says which amount was asked for, so the shares removed are
 * found from what was paid. At a rate other than 1 two amounts may fit; then one is assumed, and what happens at the
 * validator later proves or disproves it.
 */

import type { Delegation } from '../delegations.js';
import { Mismatch } from '../holdings-error.js';
import { sharesToRemove } from '../modules/delegation.js';
import { tokensFromShares } from '../modules/unclaimed-reward.js';
import type { HoldingsState, Validator } from '../state.js';
import { wholePart } from '../values/decimal18.js';

/** The fitting amount to assume, as its index, by guess: 0 unless it was disproved. */
export type Decisions = ReadonlyMap<string, number>;

/**
 * Lists all numbers of shares for which the chain would have paid this: paid amounts are at most 1 below what was asked, and the
 * chain refuses to undelegate nothing (x/staking msgServer.Undelegate).
 */
function fittingShares(validator: Validator, delegation: Delegation, paid: bigint): bigint[] {
  const amounts = [paid + 1n, paid].filter((asked) => asked > 0n);
  const shares = amounts.map((asked) => sharesToRemove(validator, delegation, asked));
  return [...new Set(shares)].filter((candidate) => {
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
  const chosen = fitting[decisions.get(id) ?? 0];
  if (chosen === undefined) {
    const what = 'undelegation by a contract';
    throw new Mismatch({ what, validator: validator.operator, expected: `${paid} paid`, found: 'no fitting amount' });
  }
  const others = fitting.filter((candidate) => candidate !== chosen);
  if (others.length > 0) state.guesses.push({ id, validator: validator.operator, chosen, others });
  return chosen;
}

/**
 * A later delegation says how many shares an amount bought. Guesses for which every other choice would have given another
 * number are proved.
 * @param before the validator's tokens and shares before the delegation
 */
export function settleGuesses(
  state: HoldingsState,
  operator: string,
  before: { readonly tokens: bigint; readonly shares: bigint },
  { amount, issued }: { amount: bigint; issued: bigint },
): void {
  const here = state.guesses.filter(({ validator }) => validator === operator);
  if (here.length === 0 || before.shares === 0n) return;
  const fits = (more: bigint) => ((before.shares + more) * amount) / before.tokens === issued;
  const isOpen = here.map((guess, i) => {
    const rest = here.filter((_, j) => j !== i);
    return differences(guess, false).some((difference) => sums(rest).some((more) => fits(difference + more)));
  });
  state.guesses = state.guesses.filter((guess) => !here.includes(guess) || isOpen[here.indexOf(guess)]);
}

type Choice = HoldingsState['guesses'][number];

/** Lists by how much the validator would have more shares under the other choices, and under this one if asked for. */
function differences({ chosen, others }: Choice, includesChosen: boolean): bigint[] {
  return [...(includesChosen ? [0n] : []), ...others.map((other) => chosen - other)];
}

function sums([first, ...rest]: readonly Choice[]): bigint[] {
  if (!first) return [0n];
  return differences(first, true).flatMap((difference) => sums(rest).map((sum) => sum + difference));
}
