/**
 * F1 fee distribution (x/distribution): a validator's rewards per token add up period by period, and a delegation keeps the
 * sum at which it began.
 */

import type { Delegation } from '../delegations.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import type { BlockContext, HoldingsState, Validator } from '../state.js';
import { addAll, formatCoins, parseDecCoins, subtractAll } from '../values/dec-coins.js';
import { divideTruncated, fromWhole, wholePart } from '../values/decimal18.js';
import { closeInterval, emitRatio } from './intervals.js';
import { accruedReward } from './unclaimed-reward.js';
import { closingRatio, payableCommission } from './validator.js';

/** The validator's tokens are allocated (AllocateTokensToValidator), its commission included. @param text decimal coins */
export function allocateReward({ denoms }: HoldingsState, validator: Validator, text: string): void {
  const amounts = parseDecCoins(text, denoms);
  addAll(validator.current, amounts);
  addAll(validator.outstanding, amounts);
}

/** The operator's part of what is allocated. @param text decimal coins */
export function allocateCommission({ denoms }: HoldingsState, validator: Validator, text: string): void {
  const amounts = parseDecCoins(text, denoms);
  addAll(validator.commission, amounts);
  subtractAll(validator.current, amounts);
}

/** Pays commission out: its fraction stays. @param amount whole coins as withdraw_commission says them */
export function withdrawCommission(state: HoldingsState, validator: Validator, amount: string): void {
  expectEqual(amount, payableCommission(validator, state.denoms), {
    what: 'commission',
    validator: validator.operator,
  });
  const paid = validator.commission.map(wholePart);
  subtractAll(validator.commission, paid.map(fromWhole));
  subtractAll(validator.outstanding, paid.map(fromWhole));
}

/** IncrementValidatorPeriod. What was earned while there were no tokens goes to the community pool. */
export function endPeriod(validator: Validator): void {
  if (validator.tokens === 0n) subtractAll(validator.outstanding, validator.current);
  validator.ratio = closingRatio(validator);
  validator.current.fill(0n);
  validator.period += 1;
}

/** initializeDelegation: a delegation that begins at the end of the last period, with what its shares are worth now. */
export function newDelegation(validator: Validator, shares: bigint, height: number): Delegation {
  const { period, ratio, tokens } = validator;
  const stake = divideTruncated(shares * tokens, validator.shares);
  return { shares, stake, period: period - 1, height, ratio };
}

/** Begins a delegation, or begins it anew. */
export function beginDelegation(
  { state, height, emit }: Pick<BlockContext, 'state' | 'height' | 'emit'>,
  validator: Validator,
  delegator: string,
  shares: bigint,
): void {
  const delegation = newDelegation(validator, shares, height);
  validator.delegations.set(delegator, delegation);
  emitRatio(emit, state, validator, delegation);
}

/** The delegation of that wallet. @throws Mismatch when there is none */
export function delegationOf(validator: Validator, delegator: string): Delegation {
  const delegation = validator.delegations.get(delegator);
  if (delegation) return delegation;
  throw new Mismatch({
    what: 'delegation',
    validator: validator.operator,
    wallet: delegator,
    expected: 'there is one',
    found: 'none',
  });
}

/**
 * withdrawDelegationRewards: ends the period, pays the whole part, leaves the fraction to the community pool. What is paid
 * must be what the next withdraw_rewards event says.
 * @returns the shares of the delegation, which is to begin anew
 */
export function withdrawReward(context: BlockContext, validator: Validator, delegator: string): bigint {
  const { state, height, withdrawals } = context;
  const delegation = delegationOf(validator, delegator);
  endPeriod(validator);
  const reward = reward18(validator, delegation, delegator, height);
  for (let denom = 0; denom < reward.length; denom++) {
    const outstanding = validator.outstanding[denom] ?? 0n;
    if (reward[denom]! > outstanding) reward[denom] = outstanding;
  }
  subtractAll(validator.outstanding, reward);
  closeInterval(context, validator, delegator, delegation);
  const event = withdrawals.shift();
  const about = { what: 'withdrawn reward', validator: validator.operator, wallet: delegator };
  expectEqual(
    event ? `${whole(event.amount)} for ${event.delegator} at ${event.validator}` : 'no withdraw_rewards',
    `${formatCoins(reward.map(wholePart), state.denoms)} for ${delegator} at ${validator.operator}`,
    about,
  );
  return delegation.shares;
}

/** A zero coin ('0stake') is how some events write nothing. */
const whole = (amount: string) => (/^0[a-zA-Z]/.test(amount) ? '' : amount);

function reward18(validator: Validator, delegation: Delegation, delegator: string, height: number): bigint[] {
  try {
    const { tokens, shares, ratio, slashes } = validator;
    return accruedReward(delegation, slashes, { height, tokens, shares, ratio });
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new Mismatch({ ...error.difference, validator: validator.operator, wallet: delegator });
  }
}

/** A claim: withdraw, and begin anew. */
export function claimReward(context: BlockContext, validator: Validator, delegator: string): void {
  beginDelegation(context, validator, delegator, withdrawReward(context, validator, delegator));
}
