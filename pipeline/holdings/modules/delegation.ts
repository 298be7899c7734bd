/** Delegating and undelegating (x/staking Delegate, Unbond): shares against tokens at the validator's rate. */

import type { Delegation } from '../delegations.js';
import { Mismatch } from '../holdings-error.js';
import type { BlockContext, Validator } from '../state.js';
import { UNBONDED } from '../state.js';
import { fromWhole, smaller, wholePart } from '../values/decimal18.js';
import { beginDelegation, endPeriod, withdrawReward } from './reward-periods.js';
import { tokensFromShares } from './unclaimed-reward.js';
import { removeValidator } from './validator.js';

/** SharesFromTokens: shares that an amount of base units buys or costs. */
export function sharesFromTokens({ operator, tokens, shares }: Validator, amount: bigint): bigint {
  if (tokens === 0n) {
    throw new Mismatch({ what: 'tokens', validator: operator, expected: 'more than 0', found: '0' });
  }
  return (shares * amount) / tokens;
}

/** Shares that go when this amount is asked back: at most all of them (ValidateUnbondAmount). */
export function sharesToRemove(validator: Validator, delegation: Delegation, asked: bigint): bigint {
  return smaller(sharesFromTokens(validator, asked), delegation.shares);
}

/**
 * Adds an amount of base units. An existing delegation is paid its reward first; a new one ends the period too.
 * @returns the shares issued
 */
export function delegate(context: BlockContext, validator: Validator, delegator: string, amount: bigint): bigint {
  let held = 0n;
  if (validator.delegations.has(delegator)) held = withdrawReward(context, validator, delegator);
  else endPeriod(validator);
  const issued = validator.shares === 0n ? fromWhole(amount) : sharesFromTokens(validator, amount);
  validator.tokens += amount;
  validator.shares += issued;
  beginDelegation(context, validator, delegator, held + issued);
  context.moved = true;
  return issued;
}

/**
 * Removes shares after paying the reward. The last shares of a validator take all its tokens.
 * @returns the base units that they were worth
 */
export function unbond(context: BlockContext, validator: Validator, delegator: string, shares: bigint): bigint {
  const rest = withdrawReward(context, validator, delegator) - shares;
  if (delegator === validator.account && !validator.jailed) {
    validator.jailed = wholePart(tokensFromShares(rest, validator)) < validator.minSelfDelegation;
  }
  if (rest === 0n) validator.delegations.delete(delegator);
  else beginDelegation(context, validator, delegator, rest); // with the rate before the removal

  const isLast = shares === validator.shares;
  const paid = isLast ? validator.tokens : wholePart(tokensFromShares(shares, validator));
  validator.shares -= shares;
  validator.tokens -= paid;
  context.moved = true;
  if (isLast && validator.status === UNBONDED) removeValidator(context.state, validator);
  return paid;
}
