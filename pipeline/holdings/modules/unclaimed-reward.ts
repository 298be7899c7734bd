/**
 * The unclaimed reward of a delegation since its starting info (x/distribution CalculateDelegationRewards): one function for the
 * fold, which pays it out, and for any day's answer from the stored rows.
 */
import type { DelegationInterval, ValidatorSlash } from '../../../schemas/types.generated.js';
import type { Delegation } from '../delegations.js';
import { Mismatch } from '../holdings-error.js';
import type { Slash } from '../state.js';
import { type Amounts, addTo, type Denoms, parseDecCoins } from '../values/dec-coins.js';
import { divide, multiplyTruncated, ONE, wholePart } from '../values/decimal18.js';
import type { ClosedValidator } from '../wallet-holdings.js';

/** Units of 10^-18 by which a stake may exceed the present tokens through rounding; the chain takes the tokens then. */
const ROUNDING_ERROR = 3n;

/** A validator at the moment that is asked about. `ratio` ends a period, be it only a would-be one. */
export interface Valuation {
  readonly height: number;
  readonly tokens: bigint;
  readonly shares: bigint;
  readonly ratio: Amounts;
}

/** Tokens that shares stand for (TokensFromShares), × 10^18. */
export function tokensFromShares(shares: bigint, validator: { tokens: bigint; shares: bigint }): bigint {
  return divide(shares * validator.tokens, validator.shares);
}

/**
 * The reward in 10^-18 base units per denom, the stake cut slash by slash.
 * @throws Mismatch when the stake is more than the shares are worth: state and blocks do not belong together
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

/** A stored interval, read for the rewards of as many days as are asked. */
export interface Earning {
  readonly start: Delegation;
  /** Slashes that can have cut its stake, in ascending order. */
  readonly slashes: readonly Slash[];
}

/** @param slashes all of the interval's validator, in ascending order */
export function readEarning(
  { shares, stake, start_period, from_height, start_ratio }: DelegationInterval,
  slashes: readonly ValidatorSlash[],
  denoms: Denoms,
): Earning {
  return {
    start: { shares, stake, period: start_period, height: from_height, ratio: parseDecCoins(start_ratio, denoms) },
    slashes: slashes
      .filter(({ height }) => height >= from_height)
      .map((slash) => ({ ...slash, ratio: parseDecCoins(slash.ratio, denoms) })),
  };
}

/**
 * The unclaimed reward at the close of a day, per denom in 10^-18 base units.
 * @param earning of an interval with from_height ≤ day.close_height < to_height
 * @param denoms as it was read with; numbers the result
 */
export function earnedBy({ start, slashes }: Earning, day: ClosedValidator, denoms: Denoms): bigint[] {
  const { close_height: height, tokens, shares, ratio } = day;
  return accruedReward(start, slashes, { height, tokens, shares, ratio: parseDecCoins(ratio, denoms) });
}

/** The same for one day alone. */
export function unclaimedReward(
  interval: DelegationInterval,
  day: ClosedValidator,
  slashes: readonly ValidatorSlash[],
  denoms: Denoms,
): bigint[] {
  return earnedBy(readEarning(interval, slashes, denoms), day, denoms);
}

/** Base units staked by an interval at the close of a day, as the chain shows them: cut off per delegation. */
export function stakedTokens(interval: Pick<DelegationInterval, 'shares'>, day: ClosedValidator): bigint {
  return wholePart(tokensFromShares(interval.shares, day));
}
