/**
 * Delegations (x/staking) and their rewards (x/distribution, F1). Each validator has a sum of rewards per token. A
 * delegation stores this sum when it begins. Its reward is the growth of the sum since then.
 */
import { TOO_LARGE } from '../../base/values/amount.js';
import type { Delegation } from '../delegations.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { type BlockContext, type Slash, UNBONDED, type Validator } from '../state.js';
import {
  type Amounts,
  addTo,
  divide,
  divideTruncated,
  formatCoins,
  fromWhole,
  multiplyTruncated,
  ONE,
  smaller,
  subtractAll,
  wholePart,
} from '../values/decimal18.js';
import { closeInterval, emitRatio, noteRate } from './stake-rows.js';
import { closingRatio, removeValidator } from './validator.js';

/** Returns the shares for an amount, like SharesFromTokens in the SDK. @param amount base units */
export function sharesFromTokens({ operator, tokens, shares }: Validator, amount: bigint): bigint {
  if (tokens === 0n) {
    throw new Mismatch({ what: 'tokens', validator: operator, expected: 'more than 0', found: '0' });
  }
  return (shares * amount) / tokens;
}

/** Returns the shares to remove for a requested amount, at most all shares (SDK: ValidateUnbondAmount). */
export function sharesToRemove(validator: Validator, delegation: Delegation, requested: bigint): bigint {
  return smaller(sharesFromTokens(validator, requested), delegation.shares);
}

/**
 * Adds an amount to a delegation, after paying the reward if the delegation already exists. @returns the issued shares
 */
export function delegate(context: BlockContext, validator: Validator, delegator: string, amount: bigint): bigint {
  let held = 0n;
  if (validator.delegations.has(delegator)) held = withdrawReward(context, validator, delegator);
  else endPeriod(validator);
  const issued = validator.shares === 0n ? fromWhole(amount) : sharesFromTokens(validator, amount);
  noteRate(context, validator);
  validator.tokens += amount;
  validator.shares += issued;
  beginDelegation(context, validator, delegator, held + issued);
  context.moved = true;
  return issued;
}

/** Removes shares after paying the reward. A validator's last shares get all its tokens. @returns base units */
export function unbond(context: BlockContext, validator: Validator, delegator: string, shares: bigint): bigint {
  const rest = withdrawReward(context, validator, delegator) - shares;
  if (delegator === validator.account && !validator.jailed) {
    validator.jailed = wholePart(tokensFromShares(rest, validator)) < validator.minSelfDelegation;
  }
  if (rest === 0n) validator.delegations.delete(delegator);
  else beginDelegation(context, validator, delegator, rest); // the SDK also begins the delegation before tokens and shares change

  const isLast = shares === validator.shares;
  const paid = isLast ? validator.tokens : wholePart(tokensFromShares(shares, validator));
  noteRate(context, validator);
  validator.shares -= shares;
  validator.tokens -= paid;
  context.moved = true;
  if (isLast && validator.status === UNBONDED) removeValidator(context.state, validator);
  return paid;
}

/**
 * Ends the current reward period, like IncrementValidatorPeriod in the SDK. If the validator has no tokens, the
 * period's rewards go to the community pool.
 */
export function endPeriod(validator: Validator): void {
  if (validator.tokens === 0n) subtractAll(validator.outstanding, validator.current);
  validator.ratio = closingRatio(validator);
  validator.current.fill(0n);
  validator.period += 1;
}

export function newDelegation(validator: Validator, shares: bigint, height: number): Delegation {
  const { period, ratio, tokens } = validator;
  const stake = divideTruncated(shares * tokens, validator.shares);
  return { shares, stake, period: period - 1, height, ratio };
}

function beginDelegation(
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
 * Pays whole units of the reward; the fraction goes to the community pool (SDK: withdrawDelegationRewards). Compares
 * the payment with the next withdraw_rewards event.
 * @returns the delegation's shares, with which the caller must begin the delegation again
 */
function withdrawReward(context: BlockContext, validator: Validator, delegator: string): bigint {
  const { state, height, withdrawals, emit } = context;
  const delegation = delegationOf(validator, delegator);
  endPeriod(validator);
  const reward = reward18(validator, delegation, delegator, height);
  for (let denom = 0; denom < reward.length; denom++) {
    const outstanding = validator.outstanding[denom] ?? 0n;
    if (reward[denom]! > outstanding) reward[denom] = outstanding;
  }
  subtractAll(validator.outstanding, reward);
  closeInterval(context, validator, delegator, delegation);
  const paid = reward.map(wholePart);
  const event = withdrawals.shift();
  const about = { what: 'withdrawn reward', validator: validator.operator, wallet: delegator };
  expectEqual(
    event ? `${whole(event.amount)} for ${event.delegator} at ${event.validator}` : 'no withdraw_rewards',
    `${formatCoins(paid, state.denoms)} for ${delegator} at ${validator.operator}`,
    about,
  );
  for (const [denom, amount] of paid.entries()) {
    if (amount === 0n) continue;
    const storable = amount < TOO_LARGE ? amount : null;
    emit('reward_payments', { delegator, height, denom: state.denoms.name(denom), amount: storable });
  }
  return delegation.shares;
}

/** Returns the coins of an event; '' if nothing was paid. For this case, some events contain '0stake' and some ''. */
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

/**
 * In 10^-18 base units. Because of rounding, a stake may exceed the value of its shares by up to this much. The chain
 * then uses the value of the shares.
 */
const ROUNDING_ERROR = 3n;

/** A validator after a block. The ratio is computed as if the current reward period ended there. */
export interface Valuation {
  readonly height: number;
  readonly tokens: bigint;
  readonly shares: bigint;
  readonly ratio: Amounts;
}

/** Returns the value of shares in base units × 10^18, like TokensFromShares in the SDK. */
export function tokensFromShares(shares: bigint, validator: { tokens: bigint; shares: bigint }): bigint {
  return divide(shares * validator.tokens, validator.shares);
}

/**
 * Returns the reward in 10^-18 base units (SDK: CalculateDelegationRewards). Each slash reduces the stake. Example:
 * stake 1,000, ratio 0.10 at the start, 0.20 at a slash of 10 %, 0.25 at the end: 1,000 × 0.10 + 900 × 0.05 = 145.
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
