/** Figures of the whole dataset for the manifest: counts of wallets and contracts, and the coverage of prices. */
import type { ContractSeen, Manifest, PriceCoverage, PricedShare } from '../../../schemas/types.generated.js';
import { type Database, readSql } from '../../base/duckdb/database.js';
import { formatCents, formatDecimal, halfUp, parseDecimal, valueInCents } from '../../base/values/amount.js';
import { chainFacts } from '../../classify/chain-facts.js';
import type { Reference } from '../../reference.js';

export type DatasetFigures = Pick<Manifest, 'wallets' | 'contracts_seen' | 'price_coverage'>;

export async function datasetFigures(
  database: Database,
  { assets, contracts, rules }: Reference,
): Promise<DatasetFigures> {
  const addresses = contracts.contracts.map(({ address }) => address);
  // Omits consensus addresses of proposers, which receive only tips from fee collectors.
  const [counted] = await database.all<{ wallets: number }>(
    'select count(*)::integer as wallets from addresses where address not in (from tipped)',
  );
  const groups = await database.all<StoredGroup>(readSql('tables/legs_by_price'), {
    denoms: assets.map(({ denom }) => denom),
  });
  const decimalsOf = (denom: string) => rules.denomination(denom).decimals;
  return {
    wallets: counted!.wallets,
    contracts_seen: await database.all<ContractSeen>(readSql('tables/contracts_seen'), { addresses }),
    price_coverage: priceCoverage(groups.map(legGroup), decimalsOf),
  };
}

interface StoredGroup {
  readonly month: string;
  readonly denom: string | null;
  readonly priced: boolean;
  readonly legs: number;
  readonly high: string;
  readonly low: string;
  readonly price: string | null;
}

const HIGH_UNITS = 10n ** 19n;

const legGroup = ({ high, low, price, ...group }: StoredGroup) => ({
  ...group,
  amount: BigInt(high) * HIGH_UNITS + BigInt(low),
  price: price === null ? null : BigInt(price),
});

interface LegGroup {
  readonly month: string;
  readonly denom: string | null;
  readonly priced: boolean;
  readonly legs: number;
  readonly amount: bigint;
  /** Micro-USD per displayed unit. On a day without a price, the price of the nearest day; null if there is none. */
  readonly price: bigint | null;
}

const SHARE_DECIMALS = 4;

class Sum {
  private legs = 0;
  private pricedLegs = 0;
  private neverPriced = 0;
  private value = 0n;
  private estimate = 0n;

  add({ denom, priced, legs, amount, price }: LegGroup, decimalsOf: (denom: string) => number): void {
    this.legs += legs;
    if (denom === null || price === null) {
      this.neverPriced += legs;
      return;
    }
    const worth = valueInCents(amount, decimalsOf(denom), price);
    if (priced) {
      this.pricedLegs += legs;
      this.value += worth;
    } else this.estimate += worth;
  }

  get coverage(): PricedShare {
    const all = this.value + this.estimate;
    return {
      legs: this.legs,
      priced_legs: this.pricedLegs,
      never_priced_legs: this.neverPriced,
      value_usd: formatCents(this.value),
      estimated_usd: formatCents(this.estimate),
      share: all === 0n ? null : formatDecimal(halfUp(this.value * 10n ** BigInt(SHARE_DECIMALS), all), SHARE_DECIMALS),
    };
  }
}

/**
 * Returns the share of taxable value that has a published price. Estimates the value of other amounts from the nearest
 * price of the same denom. No other code uses this estimate.
 */
function priceCoverage(groups: Iterable<LegGroup>, decimalsOf: (denom: string) => number): PriceCoverage {
  const total = new Sum();
  const months = new Map<string, Sum>();
  const denoms = new Map<string | null, Sum>();
  for (const group of groups) {
    for (const sum of [total, sumOf(months, group.month), sumOf(denoms, group.denom)]) sum.add(group, decimalsOf);
  }
  const byName = ([a]: readonly [string | null, Sum], [b]: readonly [string | null, Sum]) =>
    a === null ? 1 : b === null || a < b ? -1 : 1;
  return {
    total: total.coverage,
    months: [...months].map(([month, { coverage }]) => ({ month, coverage })),
    denoms: [...denoms].sort(byName).map(([denom, { coverage }]) => ({ denom, coverage })),
  };
}

function sumOf<Key>(sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? new Sum();
  sums.set(key, sum);
  return sum;
}

export const FIGURES = ['event_validators', 'addresses', 'tipped', 'legs'];

export const figureParameters = ({ assets, categories, chain, contracts, spam }: Reference) => ({
  denoms: assets.map(({ denom }) => denom),
  decimals: assets.map(({ decimals }) => String(decimals)),
  categories: spam.categories,
  native: chain.native_denom,
  native_dust: spam.dust.native_units_without_price,
  dust_cents: Number(parseDecimal(spam.dust.below_usd, 2)),
  fee_collectors: chainFacts(chain, contracts).feeCollectors,
  taxable: categories.filter(({ taxable }) => taxable).map(({ category }) => category),
});
