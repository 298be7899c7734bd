/** The steps that make the published tables from what is classified and from prices. */

import type { Night } from '../night.js';
import { collectPrices } from '../prices/collect-prices.js';
import { writeTable } from '../publish/write-table.js';

/** Prices are published as far back as the sources reach: a lot's date may lie before the index. */
const FIRST_DAY = '1970-01-01';

/** Collects the published prices up to the last block's day. */
export async function collectDailyPrices(night: Night): Promise<void> {
  const { config, reference, span, database } = night;
  night.prices = await collectPrices({
    priceDir: config.priceDir,
    priceSources: config.priceSources,
    assets: reference.assets,
    methodology: reference.methodology,
    from: FIRST_DAY,
    to: span.lastTime.slice(0, 10),
  });
  await database.create('prices');
  await database.append('prices', night.prices);
}

/** Writes chain_events, coin_movements, prices and priced_events; later steps read priced_events as it was written. */
export async function writeTables(night: Night): Promise<void> {
  const { database, folder, span, tables } = night;
  await database.run('tables/priced_events');
  for (const table of ['chain_events', 'priced_events', 'coin_movements']) {
    tables.push(await writeTable(database, table, folder, span.months));
  }
  tables.push(await writeTable(database, 'prices', folder));
}
