/**
 * Delegations (x/staking) and their rewards (x/distribution, F1): a validator adds up rewards per token, and a delegation
 * stores the sum at its start.
 */
import type { Delegation } from '../delegations.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { type BlockContext, type Slash, UNBONDED, type Validator } from '../state.js';
import { type Amounts, addTo, formatCoins, subtractAll } from '../values/dec-coins.js';
import { divide, divideTruncated, fromWhole, multiplyTruncated, ONE, smaller, wholePart } from '../values/decimal18.js';
import { closeInterval, emitRatio } from './intervals.js';
import { closingRatio, removeValidator } from './validator.js';

/** SharesFromTokens. @param amount base units */
export function sharesFromTokens({ operator, tokens, shares }: Validator, amount: bigint): bigint {
  if (tokens === 0n) {
    throw new Mismatch({ what: 'tokens', validator: operator, expected: 'more than 0', found: '0' });
  }
  return (shares * amount) / tokens;
}

/** Returns the shares to remove for a requested amount, at most all (ValidateUnbondAmount). */
export function sharesToRemove(validator: Validator, delegation: Delegation, asked: bigint): bigint {
  return smaller(sharesFromTokens(validator, asked), delegation.shares);
}

/** Pays the reward of an existing delegation first. @returns the issued shares */
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

/** Pays the reward first. A validator's last shares get all its tokens. @returns base units */
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

/** IncrementValidatorPeriod. Rewards earned without tokens go to the community pool. */
export function endPeriod(validator: Validator): void {
  if (validator.tokens === 0n) subtractAll(validator.outstanding, validator.current);
  validator.ratio = closingRatio(validator);
  validator.current.fill(0n);
  validator.period += 1;
}

/** initializeDelegation: starts at the end of the last period with the current value of the shares. */
export function newDelegation(validator: Validator, shares: bigint, height: number): Delegation {
  const { period, ratio, tokens } = validator;
  const stake = divideTruncated(shares * tokens, validator.shares);
  return { shares, stake, period: period - 1, height, ratio };
}

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

export function delegationOf(validator: Validator, delegator: string): Delegation {
  const delegation = validator.delegations.get(delegator);
  if (delegation) return delegation;
  throw new Mismatch({
    what: 'delegation',
    validator: validator.operator,
    wallet: delegator,
    expected: 'one',
    found: 'none',
  });
}

/**
 * withdrawDelegationRewards: pays whole units, the fraction goes to the community pool. Compares the payment with the next
 * withdraw_rewards event.
 * @returns the shares; the caller starts the delegation again
 */
function withdrawReward(context: BlockContext, validator: Validator, delegator: string): bigint {
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

/** Some events write a zero coin ('0stake') instead of nothing. */
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

export function claimReward(context: BlockContext, validator: Validator, delegator: string): void {
  beginDelegation(context, validator, delegator, withdrawReward(context, validator, delegator));
}

/** In 10^-18; rounding may lift a stake above its tokens by this much, and the chain then uses the tokens. */
const ROUNDING_ERROR = 3n;

/** `ratio` is cumulative, as if the period ended at the height. */
interface Valuation {
  readonly height: number;
  readonly tokens: bigint;
  readonly shares: bigint;
  readonly ratio: Amounts;
}

/** TokensFromShares, × 10^18. */
export function tokensFromShares(shares: bigint, validator: { tokens: bigint; shares: bigint }): bigint {
  return divide(shares * validator.tokens, validator.shares);
}

/**
 * CalculateDelegationRewards, in 10^-18 base units. Each slash reduces the stake. Example: stake 1,000, ratio 0.10 at the
 * start, 0.20 at a slash of 10 %, 0.25 at the end: 1,000 × 0.10 + 900 × 0.05 = 145.
 * @throws Mismatch if the stake exceeds the value of the shares
 */
export function accruedReward(start: Delegation, slashes: readonly Slash[], end: Valuation): bigint[] {
  const reward: bigint[] = [];
  if (start.height === end.height) return reward;
  let { stake, period, ratio } = start;
  for (const slash of slashes) {
    if (slash.height < start.height || slash.height > end.height || slash.period <= period) continue;
    addGrowth(reward, ratio, slash.ratio, stake);
    stake = multiplyTruncated(stake, ONE - slash.fraction);
    period = slash.period;
    ratio = slash.ratio;
  }
  const worth = tokensFromShares(start.shares, end);
  if (stake > worth) {
    if (stake > worth + ROUNDING_ERROR) {
      throw new Mismatch({ what: 'stake', expected: `at most ${worth}`, found: String(stake) });
    }
    stake = worth;
  }
  addGrowth(reward, ratio, end.ratio, stake);
  return reward;
}

function addGrowth(reward: bigint[], from: Amounts, to: Amounts, stake: bigint): void {
  for (let denom = 0; denom < to.length; denom++) {
    const growth = to[denom]! - (from[denom] ?? 0n);
    if (growth !== 0n) addTo(reward, denom, multiplyTruncated(growth, stake));
  }
}
