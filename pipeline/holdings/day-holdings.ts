/** Computes a wallet's holdings at the end of each day, from table rows of the wallet and of its validators. */
import type {
  DelegationInterval,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
} from '../../schemas/types.generated.js';
import { TOO_LARGE } from '../base/values/amount.js';
import { firstIndex } from '../base/values/first-index.js';
import type { Delegation } from './delegations.js';
import { accruedReward, tokensFromShares, type Valuation } from './modules/delegation.js';
import type { Rate, Slash } from './state.js';
import { type Amounts, Denoms, formatDecimal18, ONE, parseDecCoins, wholePart } from './values/decimal18.js';

/** Base units of the native coin. */
export interface DayHoldings {
  readonly day: string;
  readonly liquid: bigint;
  /** Truncated to base units for each delegation, as on the chain. */
  readonly staked: bigint;
  readonly unbonding: bigint;
  /** Unclaimed rewards. Truncated to base units after they are added up, as on the chain. */
  readonly reward: bigint;
}

type Sums = { -readonly [Member in keyof DayHoldings]: DayHoldings[Member] };

interface HoldingsSource {
  readonly denom: string;
  readonly validator: (operator: string) => ValidatorHistory;
}

/**
 * @param closes ascending; each validator has a row for every day after the starting state
 * @throws Error if the wallet delegates to a validator whose row is missing
 */
export function holdingsAtCloses(
  wallet: WalletHoldings,
  closes: readonly ClosedDay[],
  { denom, validator }: HoldingsSource,
): DayHoldings[] {
  const sums = openSums(wallet.liquid, closes);
  const denoms = new Denoms();
  const native = denoms.number(denom);
  for (const interval of wallet.intervals) {
    const [first, end] = closesIn(interval, closes);
    if (first < end) {
      const { days, slashes } = validator(interval.validator);
      const earning = readEarning(interval, slashes, denoms);
      const offset = firstIndex(days, ({ close_height }) => close_height >= closes[first]!.close_height) - first;
      for (let i = first; i < end; i++) {
        const day = days[offset + i];
        if (day?.close_height !== closes[i]!.close_height) throw missingDay(interval.validator, closes[i]!);
        sums[i]!.staked += stakedTokens(interval, day);
        sums[i]!.reward += earnedBy(earning, day, denoms)[native] ?? 0n;
      }
    }
  }
  for (const entry of wallet.unbonding) {
    const [first, end] = closesIn(entry, closes);
    for (let i = first; i < end; i++) sums[i]!.unbonding += entry.balance;
  }
  for (const sum of sums) sum.reward = wholePart(sum.reward);
  return sums;
}

function openSums(liquid: WalletHoldings['liquid'], closes: readonly ClosedDay[]): Sums[] {
  let next = 0;
  let balance = 0n;
  return closes.map(({ day }) => {
    for (; next < liquid.length && liquid[next]!.day <= day; next++) balance = liquid[next]!.amount;
    return { day, liquid: balance, staked: 0n, unbonding: 0n, reward: 0n };
  });
}

function closesIn(
  { from_height, to_height }: DelegationInterval | UnbondingInterval,
  closes: readonly ClosedDay[],
): [first: number, end: number] {
  const first = firstIndex(closes, ({ close_height }) => close_height >= from_height);
  if (to_height === null) return [first, closes.length];
  return [first, firstIndex(closes, ({ close_height }) => close_height >= to_height)];
}

const missingDay = (validator: string, { day, close_height }: ClosedDay) =>
  new Error(`validator ${validator} has no row of ${day}, which closes at ${close_height}`);

export interface WalletHoldings {
  /** Balance in base units at the end of each day on which it changed, ascending. */
  readonly liquid: readonly { readonly day: string; readonly amount: bigint }[];
  readonly intervals: readonly DelegationInterval[];
  readonly unbonding: readonly UnbondingInterval[];
}

export type ClosedValidator = Omit<ValidatorDay, 'commission' | 'commission_rate'>;

export interface ValidatorHistory {
  readonly days: readonly ClosedValidator[];
  readonly slashes: readonly ValidatorSlash[];
}

/** A UTC day and the height of its last block. A day without blocks has the previous day's state. */
export interface ClosedDay {
  readonly day: string;
  readonly close_height: number;
}

type ValidatorState = Pick<ValidatorDay, 'close_height' | 'tokens' | 'shares' | 'ratio'>;

interface Earning {
  readonly start: Delegation;
  readonly slashes: readonly Slash[];
}

function readEarning(
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
 * Returns the unclaimed rewards in 10^-18 base units; the index is the denom's number.
 * @param earning a delegation that exists at the end of the day
 */
function earnedBy({ start, slashes }: Earning, day: ValidatorState, denoms: Denoms): bigint[] {
  return accruedReward(start, slashes, valuationOf(day, denoms));
}

export function unclaimedReward(
  interval: DelegationInterval,
  day: ValidatorState,
  slashes: readonly ValidatorSlash[],
  denoms: Denoms,
): bigint[] {
  return earnedBy(readEarning(interval, slashes, denoms), day, denoms);
}

/** Returns a validator's state at the end of a day, from which the rewards of its delegations follow. */
export function valuationOf(
  { close_height: height, tokens, shares, ratio }: ValidatorState,
  denoms: Denoms,
): Valuation {
  return { height, tokens, shares, ratio: parseDecCoins(ratio, denoms) };
}

/**
 * Returns the start ratios of the denoms in which a claim may pay a whole unit, also if such a ratio is zero. A reward is
 * at most the start's stake × the growth of the ratio, because slashes only reduce the stake, and ratios only grow.
 * Example: a stake of 2,000,000 earns less than one unit while the ratio has grown by less than 0.0000005.
 * @param stake × 10^18; the largest one of the delegations with this start
 * @param highest the highest ratio of each denom while these delegations last
 */
export function payableRatios(startRatio: string, stake: bigint, highest: Amounts, denoms: Denoms): string {
  const start = parseDecCoins(startRatio, denoms);
  const payable = highest.flatMap((ratio, denom) => {
    if (ratio === 0n) return [];
    const before = start[denom] ?? 0n;
    const isPayable = ratio >= TOO_LARGE || (ratio - before) * stake >= WHOLE_UNIT;
    return isPayable ? [`${formatDecimal18(before)}${denoms.name(denom)}`] : [];
  });
  return payable.join();
}

/** A base unit as the product of a stake and a ratio, which both have 18 decimal places. */
const WHOLE_UNIT = ONE * ONE;

/**
 * Returns what a claim would pay, in base units. The index is the denom's number. An amount is null if the validator's
 * ratio or the amount has more than 38 digits. Ratios only grow, so smaller ratios at the end were smaller before.
 */
export function claimableCoins(
  interval: DelegationInterval,
  end: Valuation,
  slashes: readonly ValidatorSlash[],
  denoms: Denoms,
): (bigint | null)[] {
  const { start, slashes: later } = readEarning(interval, slashes, denoms);
  if (start.height === end.height) return [];
  const reward = accruedReward(start, later, end);
  return end.ratio.map((ratio, denom) => (ratio < TOO_LARGE ? storable(wholePart(reward[denom] ?? 0n)) : null));
}

const storable = (amount: bigint) => (amount < TOO_LARGE ? amount : null);

/** Returns the value of the shares in base units, truncated as on the chain. */
export function stakedTokens({ shares }: Pick<DelegationInterval, 'shares'>, rate: Rate): bigint {
  return wholePart(tokensFromShares(shares, rate));
}
