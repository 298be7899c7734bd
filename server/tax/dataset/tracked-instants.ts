/** Computes what a wallet holds after a block in a dataset of single wallets, as far as rows and states of nodes give it. */
import type { StateCoin } from '../../../pipeline/publish/wallet-index/holdings-format.js';
import type { Dataset } from './dataset.js';
import type { Claims } from './instants.js';

/** What is known of a wallet after a block. Amounts are base units. */
export interface TrackedHoldings {
  readonly liquid: ReadonlyMap<string, bigint>;
  /** Null if it is known only up to rounding. */
  readonly staked: bigint | null;
  readonly unbonding: bigint | null;
  /** Undefined if it is unknown. */
  readonly unclaimed: Claims | undefined;
}

const NO_COINS: Claims = new Map();

/** @returns undefined if rows are missing and no node reported the wallet's state after this block */
export function trackedHoldingsAt(dataset: Dataset, address: string, height: number): TrackedHoldings | undefined {
  const reported = dataset.states(address).filter((coin) => coin.height === height);
  if (reported.length > 0) return holdingsOf(reported);
  if (dataset.incompleteWallets([address]).length > 0) return undefined;
  const stake = dataset.stakes(address).findLast((row) => row.height <= height);
  const { staked = null, unbonding = null } = stake ?? {};
  const liquid = dataset.liquidAt(address, height);
  return { liquid, staked, unbonding, unclaimed: staked === 0n ? NO_COINS : undefined };
}

const holdingsOf = (coins: readonly StateCoin[]): TrackedHoldings => ({
  liquid: new Map(coins.map(({ denom, liquid }) => [denom, liquid])),
  staked: coins.reduce((sum, { staked }) => sum + staked, 0n),
  unbonding: coins.reduce((sum, { unbonding }) => sum + unbonding, 0n),
  unclaimed: new Map(coins.map(({ denom, unclaimed }) => [denom, unclaimed])),
});

/** Returns the nearest edges before and after a block at which nodes reported the wallet's state. */
export function reportedInstants(dataset: Dataset, address: string, height: number) {
  const reported = new Set(dataset.states(address).map((coin) => coin.height));
  const edges = dataset.edges().filter((edge) => reported.has(edge.height));
  return {
    before: edges.findLast((edge) => edge.height < height)?.at ?? null,
    after: edges.find((edge) => edge.height > height)?.at ?? null,
  };
}
