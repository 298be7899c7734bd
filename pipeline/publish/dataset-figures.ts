/** Figures about a whole dataset, for its manifest: how many wallets it has, and how much of their value has a price. */
import type { ContractSeen, Manifest } from '../../schemas/types.generated.js';
import type { ChainFacts } from '../classify/classifier.js';
import { type Database, readSql } from '../duckdb/database.js';
import { priceCoverage } from '../prices/price-coverage.js';
import type { Reference } from '../reference.js';

export type DatasetFigures = Pick<Manifest, 'wallets' | 'contracts_seen' | 'price_coverage'>;

/** Reads them from the night's tables. */
export async function datasetFigures(
  database: Database,
  { assets, categories, contracts, rules }: Reference,
  { feeCollectors }: Pick<ChainFacts, 'feeCollectors'>,
): Promise<DatasetFigures> {
  const addresses = contracts.contracts.map(({ address }) => address);
  const [counted] = await database.all<{ wallets: number }>(readSql('tables/wallets'), {
    fee_collectors: feeCollectors,
  });
  const groups = await database.all<StoredGroup>(readSql('tables/legs_by_price'), {
    taxable: categories.filter(({ taxable }) => taxable).map(({ category }) => category),
    denoms: assets.map(({ denom }) => denom),
  });
  const decimalsOf = (denom: string) => rules.denomination(denom).decimals;
  return {
    wallets: counted!.wallets,
    contracts_seen: await database.all<ContractSeen>(readSql('tables/contracts_seen'), { addresses }),
    price_coverage: priceCoverage(groups.map(legGroup), decimalsOf),
  };
}

/** A row of pipeline/tables/legs_by_price.sql. */
interface StoredGroup {
  readonly month: string;
  readonly denom: string | null;
  readonly priced: boolean;
  readonly legs: number;
  readonly high: string;
  readonly low: string;
  readonly price: string | null;
}

/** Units of the high part of an amount. */
const HIGH_UNITS = 10n ** 19n;

const legGroup = ({ high, low, price, ...group }: StoredGroup) => ({
  ...group,
  amount: BigInt(high) * HIGH_UNITS + BigInt(low),
  price: price === null ? null : BigInt(price),
});
