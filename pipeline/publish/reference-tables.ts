/** The reviewed data that tables refer to, as tables beside them: whoever has the files needs nothing else to read them. */
import type { IndexedAsset, IndexedCategory } from '../../schemas/types.generated.js';
import { type Database, readSql } from '../duckdb/database.js';
import type { Reference } from '../reference.js';

/** Makes the tables `assets` and `categories`. @param database has the tables that name denoms */
export async function makeReferenceTables(database: Database, reference: Reference): Promise<void> {
  const met = await database.all<{ denom: string }>(readSql('tables/denoms'));
  await database.create('assets');
  await database.append<IndexedAsset>(
    'assets',
    describeAssets(
      reference,
      met.map(({ denom }) => denom),
    ),
  );
  await database.create('categories');
  await database.append<IndexedCategory>(
    'categories',
    reference.categories.map(({ category, label, description, groups, taxable }) => ({
      category,
      label,
      description,
      groups,
      taxable,
    })),
  );
}

/** The assets of the registry, and the other denoms as answers show them. */
function* describeAssets({ assets, rules }: Reference, met: readonly string[]): Generator<IndexedAsset> {
  for (const { denom, symbol, decimals, name, coingecko_id = null, trace = null } of assets) {
    yield { denom, symbol, decimals, registered: true, name, coingecko_id, trace };
  }
  const known = new Set(assets.map(({ denom }) => denom));
  for (const denom of met) {
    if (known.has(denom)) continue;
    yield { denom, ...rules.denomination(denom), registered: false, name: null, coingecko_id: null, trace: null };
  }
}
