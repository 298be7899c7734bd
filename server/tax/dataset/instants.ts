/** Computes what a wallet holds after any block. */
import { addDays, DAY_MS, dayOf } from '../../../pipeline/base/values/day.js';
import { UTC } from '../../../pipeline/base/values/zones.js';
import { openingHeight } from '../../../pipeline/books/reports/coverage.js';
import { claimableCoins, stakedTokens, unclaimedReward, valuationOf } from '../../../pipeline/holdings/day-holdings.js';
import type { Rate } from '../../../pipeline/holdings/state.js';
import { Denoms, denomsIn, wholePart } from '../../../pipeline/holdings/values/decimal18.js';
import type { Dataset } from './dataset.js';

/** Amounts in base units by denom. An amount that is too large for the dataset is null. */
export type Claims = ReadonlyMap<string, bigint | null>;

const NO_COINS: Claims = new Map();

/** A block with its time in nanoseconds since 1970. */
export interface BlockMoment {
  readonly height: number;
  readonly time: bigint;
}

const DAY_NANOS = BigInt(DAY_MS) * 1_000_000n;
/** Returns the first instant of a day, in nanoseconds since 1970. */
export const nanosOf = (day: string, zone = UTC): bigint => BigInt(zone.startOf(day)) * 1_000_000n;
/** Returns the UTC day of an instant. */
export const dayAt = (instant: bigint): string => dayOf(Number(instant / 1_000_000n));

/** Returns the last block before an instant; undefined if there is none in the index. */
export function blockBefore(dataset: Dataset, instant: bigint): BlockMoment | undefined {
  for (let day = dayAt(instant); day >= dataset.indexStart; day = addDays(day, -1)) {
    const begin = nanosOf(day);
    const { nanos, heightOf } = dataset.blockTimes(day);
    const rest = Number(instant - begin < DAY_NANOS ? instant - begin : DAY_NANOS);
    const count = nanos.findLastIndex((time) => time < rest) + 1;
    if (count > 0) return { height: heightOf(count - 1), time: begin + BigInt(nanos[count - 1]!) };
  }
  return undefined;
}

/** Returns the first and the last block with known holdings. */
export function coveredBlocks(dataset: Dataset): { first: BlockMoment; last: BlockMoment } | undefined {
  const last = blockBefore(dataset, nanosOf(addDays(dataset.indexEnd, 1)));
  const opening = openingHeight(dataset.manifest.coverage)!;
  for (let day = dataset.indexStart; day <= dataset.indexEnd; day = addDays(day, 1)) {
    const { nanos, heightOf } = dataset.blockTimes(day);
    const skipped = Math.max(0, opening - heightOf(0));
    if (last && skipped < nanos.length)
      return { first: { height: heightOf(skipped), time: nanosOf(day) + BigInt(nanos[skipped]!) }, last };
  }
  return undefined;
}

/** Returns the last block before an instant, if the holdings at this instant are known. */
export function coveredBlockBefore(
  dataset: Dataset,
  instant: bigint,
  covered = coveredBlocks(dataset),
): BlockMoment | undefined {
  const moment = !covered || instant > covered.last.time ? undefined : blockBefore(dataset, instant);
  return moment && moment.height >= covered!.first.height ? moment : undefined;
}

/** Base units of the native coin. */
interface Stake {
  readonly staked: bigint;
  readonly unbonding: bigint;
}

/** Delegations and unbonding entries after a block. */
export function stakeAt(dataset: Dataset, address: string, { height, time }: BlockMoment): Stake {
  const { intervals, unbonding } = dataset.holdings(address)!;
  const day = dayAt(time);
  const isOpen = lastsAt(height);
  return {
    staked: intervals
      .filter(isOpen)
      .reduce((sum, interval) => sum + stakedTokens(interval, rateAt(dataset, interval.validator, height, day)), 0n),
    unbonding: unbonding.filter(isOpen).reduce((sum, { balance }) => sum + balance, 0n),
  };
}

const lastsAt =
  (height: number) =>
  ({ from_height, to_height }: { readonly from_height: number; readonly to_height: number | null }): boolean =>
    from_height <= height && (to_height === null || to_height > height);

/** Tokens and shares of the same ratio as one token a share. */
const EVEN: Rate = { tokens: 1n, shares: 10n ** 18n };

/** Returns a validator's tokens and shares after a block, or others of the same ratio. */
function rateAt(dataset: Dataset, operator: string, height: number, day: string): Rate {
  const changed = dataset.rates(operator, day).findLast(({ close_height }) => close_height <= height);
  if (changed) return changed.shares === 0n ? EVEN : changed;
  const close = dataset.days().findLast(({ close_height }) => close_height <= height);
  if (close) return dataset.valuation(operator, close.close_height) ?? EVEN;
  return dataset.rates(operator, '').at(-1) ?? EVEN;
}

/**
 * Returns what claims would pay after a block, in base units by denom. Each delegation's reward is truncated to whole
 * units before they are added. A sum with an unknown reward is null.
 * @returns undefined if the rewards after this block are unknown
 */
export function unclaimedAt(dataset: Dataset, address: string, height: number): Claims | undefined {
  const intervals = dataset.holdings(address)!.intervals.filter(lastsAt(height));
  if (intervals.length === 0) return NO_COINS;
  if (!isClose(dataset, height)) return undefined;
  const denoms = new Denoms();
  const sums: (bigint | null)[] = [];
  for (const interval of intervals) {
    if (interval.from_height === height) continue;
    const closed = dataset.valuation(interval.validator, height)!;
    const end = valuationOf({ ...closed, close_height: height }, denoms);
    const start_ratio = dataset.startRatio(interval);
    const coins = claimableCoins({ ...interval, start_ratio }, end, dataset.slashes(interval.validator), denoms);
    for (const denom of denomsIn(start_ratio, denoms)) {
      const amount = coins[denom];
      if (amount !== undefined) sums[denom] = plus(sums[denom], amount);
    }
  }
  return new Map(sums.flatMap((amount, denom) => (amount === 0n ? [] : [[denoms.name(denom), amount] as const])));
}

/**
 * Returns the unclaimed rewards of the native coin after a block, truncated after they are added (/balances).
 * @returns undefined if they are unknown
 */
export function rewardAt(dataset: Dataset, address: string, height: number): bigint | undefined {
  if (unclaimedAt(dataset, address, height) === undefined) return undefined;
  const denoms = new Denoms();
  const native = denoms.number(dataset.reference.chain.native_denom);
  let sum = 0n;
  for (const interval of dataset.holdings(address)!.intervals.filter(lastsAt(height))) {
    if (interval.from_height === height) continue;
    const closed = { ...dataset.valuation(interval.validator, height)!, close_height: height };
    sum += unclaimedReward(interval, closed, dataset.slashes(interval.validator), denoms)[native] ?? 0n;
  }
  return wholePart(sum);
}

/** Returns the amount of a denom; null if it is unknown. */
export function amountOf(claims: Claims | undefined, denom: string): bigint | null {
  const amount = claims?.get(denom);
  return amount === undefined && claims ? 0n : (amount ?? null);
}

const plus = (sum: bigint | null = 0n, amount: bigint | null) =>
  sum === null || amount === null ? null : sum + amount;

const isClose = (dataset: Dataset, height: number) =>
  dataset.days().some(({ close_height }) => close_height === height) ||
  dataset.edges().some((edge) => edge.height === height);

/** Returns the nearest instants before and after a block after which unclaimed rewards are known. */
export function knownInstants(dataset: Dataset, height: number): { before: bigint | null; after: bigint | null } {
  const closed = dataset.days().filter(({ day }) => day < dataset.indexEnd);
  const ends = closed.map(({ day, close_height }) => ({ at: nanosOf(addDays(day, 1)), height: close_height }));
  const known = [...ends, ...dataset.edges()].sort((a, b) => (a.at < b.at ? -1 : 1));
  const before = known.findLast((instant) => instant.height < height);
  const after = known.find((instant) => instant.height > height);
  return { before: before?.at ?? null, after: after?.at ?? null };
}
