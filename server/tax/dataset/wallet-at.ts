/** Computes and values what wallets hold after a block, in datasets of the whole chain and of single wallets. */
import type { Valuer } from '../../../pipeline/books/currencies/valuer.js';
import type { Dataset } from './dataset.js';
import { amountOf, type BlockMoment, type Claims, stakeAt, unclaimedAt } from './instants.js';
import { type TrackedHoldings, trackedHoldingsAt } from './tracked-instants.js';

/** Returns what a wallet holds after a block; undefined if neither rows nor a node give it. */
export function walletAt(dataset: Dataset, address: string, moment: BlockMoment): TrackedHoldings | undefined {
  const { height } = moment;
  if (dataset.manifest.own_wallets) return trackedHoldingsAt(dataset, address, height);
  const liquid = dataset.liquidAt(address, height);
  return { liquid, ...stakeAt(dataset, address, moment), unclaimed: unclaimedAt(dataset, address, height) };
}

/** Adds what wallets hold. A sum with an unknown amount is unknown. */
export function sumOfWallets(wallets: readonly TrackedHoldings[]): TrackedHoldings {
  const total = (amounts: readonly (bigint | null)[]) => amounts.reduce(plus, 0n);
  const claims = wallets.map(({ unclaimed }) => unclaimed);
  const isKnown = (all: readonly (Claims | undefined)[]): all is Claims[] => !all.includes(undefined);
  return {
    liquid: sumByDenom(wallets.map(({ liquid }) => liquid)) as Map<string, bigint>,
    staked: total(wallets.map(({ staked }) => staked)),
    unbonding: total(wallets.map(({ unbonding }) => unbonding)),
    unclaimed: isKnown(claims) ? sumByDenom(claims) : undefined,
  };
}

const plus = (sum: bigint | null, amount: bigint | null) => (sum === null || amount === null ? null : sum + amount);

function sumByDenom(all: readonly Claims[]): Map<string, bigint | null> {
  const sums = new Map<string, bigint | null>();
  for (const [denom, amount] of all.flatMap((one) => [...one])) {
    const sum = sums.get(denom);
    sums.set(denom, plus(sum === undefined ? 0n : sum, amount));
  }
  return sums;
}

/** Amounts in base units. An unknown amount is null. */
export interface HeldCoins {
  readonly denom: string;
  readonly liquid: bigint;
  readonly staked: bigint | null;
  readonly unbonding: bigint | null;
  readonly unclaimed: bigint | null;
}

/** Returns the coins of each denom of which something is held or unknown, the native coin first. */
export function coinsOf({ liquid, staked, unbonding, unclaimed }: TrackedHoldings, native: string): HeldCoins[] {
  const denoms = new Set([native, ...[...liquid.keys(), ...(unclaimed?.keys() ?? [])].sort()]);
  return [...denoms]
    .map((denom) => ({
      denom,
      liquid: liquid.get(denom) ?? 0n,
      staked: denom === native ? staked : 0n,
      unbonding: denom === native ? unbonding : 0n,
      unclaimed: amountOf(unclaimed, denom),
    }))
    .filter((held) => held.liquid !== 0n || held.staked !== 0n || held.unbonding !== 0n || held.unclaimed !== 0n);
}

/** Day of the price that values coins. */
export interface PriceDay {
  /** UTC day. */
  readonly day: string;
  /** Set if the last published price on or before the day is used, because a day gets its price only after it has ended. */
  readonly isLatest: boolean;
}

/** Amounts in minor units; null if unknown. */
interface CoinValues {
  /** micro-USD per displayed unit. */
  readonly price: bigint | null;
  /** Value of liquid, staked and unbonding coins. */
  readonly value: bigint | null;
  readonly unclaimedValue: bigint | null;
}

export function valuesOf(
  { denom, liquid, staked, unbonding, unclaimed }: HeldCoins,
  { day, isLatest }: PriceDay,
  valuer: Valuer,
  dataset: Dataset,
): CoinValues {
  const { decimals } = dataset.reference.rules.denomination(denom);
  const prices = dataset.prices(denom);
  const price = prices.get(isLatest ? (prices.lastDayUntil(day) ?? day) : day) ?? null;
  const worth = (units: bigint | null) => (units === null ? null : valuer.valueOf(units, decimals, price, day));
  const total = staked === null || unbonding === null ? null : liquid + staked + unbonding;
  return { price, value: worth(total), unclaimedValue: unclaimed === 0n ? 0n : worth(unclaimed) };
}
